import { dns1035LabelErrors } from '../../../meta/names.js';
import { fields, notSupported, type Strategy } from '../strategy.js';

export const services: Partial<Strategy> = {
  nameErrors: dns1035LabelErrors,
  fields: fields('spec.clusterIP', 'spec.type'),
  unknownField: notSupported,
  createOnUpdate: true,
  returnsDeleted: true,
  prepareCreate(object) {
    object['status'] = { loadBalancer: {} };
  },
};
