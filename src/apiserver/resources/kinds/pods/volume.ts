import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors, dns1123SubdomainErrors, rangeErrors } from '../../../../meta/names.js';
import { quantityNanos } from '../../../../meta/quantity.js';
import type {
  AzureDiskVolumeSource,
  CSIVolumeSource,
  DownwardAPIVolumeFile,
  EphemeralVolumeSource,
  FCVolumeSource,
  ISCSIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  QuobyteVolumeSource,
  Volume,
} from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, invalids, oneOf, oneOfIfSet } from '../../causes.js';
import { labelCauses } from '../label-rules.js';
import { backstepCauses, descendingPathCauses, fileModeCauses, localPathCauses } from '../path-rules.js';
import { claimSpecCauses } from '../storage/claim-spec.js';
import { fieldRefCauses, resourceRefCauses, VOLUME_FIELDS } from './downward-api.js';

type VolumeType = Exclude<keyof Volume, 'name'>;
type SourceOf<K extends VolumeType> = NonNullable<Volume[K]>;

/** The rules of each type of volume, in the order in which kube-apiserver looks at them. */
const TYPES: { readonly [K in VolumeType]: (source: SourceOf<K>, path: string, isPod: boolean) => CauseSteps } = {
  *emptyDir({ sizeLimit }, path) {
    if (sizeLimit !== undefined && quantityNanos(sizeLimit) < 0n) {
      yield fieldForbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity');
    }
  },
  *hostPath(source, path) {
    yield* required(source, path, 'path');
    if (!source.path) return;
    yield* backstepCauses(source.path, `${path}.path`);
    yield* oneOfIfSet(source.type, HOST_PATH_TYPES, `${path}.type`);
  },
  *gitRepo(source, path) {
    yield* required(source, path, 'repository');
    yield* descendingPathCauses(source.directory ?? '', `${path}.directory`);
  },
  *gcePersistentDisk(source, path) {
    const place = path.replace(/gcePersistentDisk$/, 'persistentDisk');
    yield* required(source, place, 'pdName');
    yield* partitionCauses(source.partition, place);
  },
  *awsElasticBlockStore(source, path) {
    yield* required(source, path, 'volumeID');
    yield* partitionCauses(source.partition, path);
  },
  *secret(source, path) {
    yield* required(source, path, 'secretName');
    yield* fileModeCauses(source.defaultMode, `${path}.defaultMode`);
    yield* each(source.items, `${path}.items`, keyToPathCauses);
  },
  *nfs(source, path) {
    yield* required(source, path, 'server', 'path');
    if (!source.path?.startsWith('/')) yield fieldInvalid(`${path}.path`, source.path, 'must be an absolute path');
  },
  iscsi: iscsiCauses,
  glusterfs: (source, path) => required(source, path, 'endpoints', 'path'),
  *flocker({ datasetName = '', datasetUUID = '' }, path) {
    if (!datasetName && !datasetUUID) yield fieldRequired(path, 'one of datasetName and datasetUUID is required');
    if (datasetName && datasetUUID) {
      yield fieldInvalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
    }
    if (datasetName.includes('/')) yield fieldInvalid(`${path}.datasetName`, datasetName, "must not contain '/'");
  },
  persistentVolumeClaim: (source, path) => required(source, path, 'claimName'),
  rbd: (source, path) => required(source, path, 'monitors', 'image'),
  *cinder(source, path) {
    yield* required(source, path, 'volumeID');
    if (source.secretRef !== undefined) yield* required(source.secretRef, `${path}.secretRef`, 'name');
  },
  cephfs: (source, path) => required(source, path, 'monitors'),
  quobyte: quobyteCauses,
  *downwardAPI(source, path) {
    yield* fileModeCauses(source.defaultMode, `${path}.defaultMode`);
    for (const file of source.items ?? []) yield* downwardFileCauses(file, path);
  },
  fc: fcCauses,
  *flexVolume(source, path) {
    yield* required(source, path, 'driver');
    for (const key of Object.keys(source.options ?? {})) {
      const domain = `.${key.split('/')[0]!.toLowerCase()}`;
      if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue;
      yield fieldInvalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved');
    }
  },
  *configMap(source, path) {
    yield* required(source, path, 'name');
    yield* fileModeCauses(source.defaultMode, `${path}.defaultMode`);
    yield* each(source.items, `${path}.items`, keyToPathCauses);
  },
  azureFile: (source, path) => required(source, path, 'secretName', 'shareName'),
  vsphereVolume: (source, path) => required(source, path, 'volumePath'),
  photonPersistentDisk: (source, path) => required(source, path, 'pdID'),
  portworxVolume: (source, path) => required(source, path, 'volumeID'),
  azureDisk: azureDiskCauses,
  *storageos(source, path) {
    yield* required(source, path, 'volumeName');
    for (const field of ['volumeName', 'volumeNamespace'] as const) {
      if (source[field]) yield* invalids(`${path}.${field}`, source[field], dns1123LabelErrors(source[field]));
    }
    if (source.secretRef !== undefined) yield* required(source.secretRef, `${path}.secretRef`, 'name');
  },
  projected: projectedCauses,
  scaleIO: (source, path) => required(source, path, 'gateway', 'system', 'volumeName'),
  csi: csiCauses,
  ephemeral: ephemeralCauses,
  *image(source, path, isPod) {
    if (isPod) yield* required(source, path, 'reference');
    yield* oneOf(source.pullPolicy, ['Always', 'IfNotPresent', 'Never'], `${path}.pullPolicy`);
  },
};
const TYPE_NAMES = Object.keys(TYPES) as VolumeType[];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** The paths that kube-apiserver names in other words when a volume has more than one type. */
const ODD_NAMES: { readonly [K in VolumeType]?: string } = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/**
 * Causes for the volumes of a pod, and in `found` those that are valid. `podName` is undefined in a template.
 */
export function* volumeCauses(
  volumes: readonly Volume[] | undefined,
  podName: string | undefined,
  path: string,
  found: Map<string, Volume>,
): CauseSteps {
  const claims = new Set<string>();
  if (podName) {
    for (const { name, ephemeral } of volumes ?? []) if (ephemeral !== undefined) claims.add(`${podName}-${name}`);
  }
  yield* each(volumes, path, function* (volume, place) {
    let isValid = true;
    for (const cause of oneVolumeCauses(volume, podName, place)) {
      if (cause !== undefined) isValid = false;
      yield cause;
    }
    if (found.has(volume.name)) yield fieldDuplicate(`${place}.name`, volume.name);
    else if (isValid) found.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && claims.has(claim)) {
      const rule = 'must not reference a PVC that gets created for an ephemeral volume';
      yield fieldInvalid(`${place}.persistentVolumeClaim.claimName`, claim, rule);
    }
  });
}

function* oneVolumeCauses(volume: Volume, podName: string | undefined, path: string): CauseSteps {
  const isPod = podName !== undefined;
  let count = 0;
  for (const type of TYPE_NAMES) {
    const source = volume[type];
    if (source === undefined) continue;
    if (count++ > 0) {
      yield fieldForbidden(`${path}.${ODD_NAMES[type] ?? type}`, 'may not specify more than 1 volume type');
    } else {
      yield* (TYPES[type] as (source: unknown, path: string, isPod: boolean) => CauseSteps)(
        source,
        `${path}.${type}`,
        isPod,
      );
      if (type === 'ephemeral' && podName && volume.name) {
        const claim = `${podName}-${volume.name}`;
        for (const error of dns1123SubdomainErrors(claim)) {
          yield fieldInvalid(`${path}.name`, volume.name, `PVC name ${JSON.stringify(claim)}: ${error}`);
        }
      }
    }
  }
  if (count === 0) yield fieldRequired(path, 'must specify a volume type');
  if (!volume.name) yield fieldRequired(`${path}.name`);
  else yield* invalids(`${path}.name`, volume.name, dns1123LabelErrors(volume.name));
}

/** Causes for fields that must be there and not be empty. */
function* required<T extends object>(source: T, path: string, ...fields: readonly (keyof T & string)[]): CauseSteps {
  for (const field of fields) {
    const value = source[field];
    if (!value || (Array.isArray(value) && value.length === 0)) yield fieldRequired(`${path}.${field}`);
  }
}

function* partitionCauses(partition: number | undefined, path: string): CauseSteps {
  if (partition === undefined || (partition >= 0 && partition <= 255)) return;
  yield fieldInvalid(`${path}.partition`, partition, 'must be between 1 and 255, inclusive');
}

function* keyToPathCauses({ key, path: target, mode }: KeyToPath, path: string): CauseSteps {
  if (!key) yield fieldRequired(`${path}.key`);
  if (!target) yield fieldRequired(`${path}.path`);
  yield* localPathCauses(target ?? '', `${path}.path`);
  yield* fileModeCauses(mode, `${path}.mode`);
}

function* downwardFileCauses(file: DownwardAPIVolumeFile, path: string): CauseSteps {
  const { fieldRef, resourceFieldRef } = file;
  if (!file.path) yield fieldRequired(`${path}.path`);
  yield* localPathCauses(file.path ?? '', `${path}.path`);
  if (fieldRef !== undefined) {
    yield* fieldRefCauses(fieldRef, VOLUME_FIELDS, `${path}.fieldRef`);
    if (resourceFieldRef !== undefined) {
      yield fieldInvalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    }
  } else if (resourceFieldRef !== undefined) {
    yield* resourceRefCauses(resourceFieldRef, `${path}.resourceFieldRef`, true);
  } else yield fieldRequired(path, 'one of fieldRef and resourceFieldRef is required');
  yield* fileModeCauses(file.mode, `${path}.mode`);
}

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

function* projectedCauses({ defaultMode, sources }: ProjectedVolumeSource, path: string): CauseSteps {
  yield* fileModeCauses(defaultMode, `${path}.defaultMode`);
  const paths = new Set<string>();
  const duplicate = function* (target: string | undefined, shown: string): CauseSteps {
    if (!target) return;
    if (paths.has(target)) yield fieldInvalid(path, shown, 'conflicting duplicate paths');
    paths.add(target);
  };
  yield* each(sources, `${path}.sources`, function* (source, place) {
    for (const type of ['secret', 'configMap'] as const) {
      const projection = source[type];
      if (projection === undefined) continue;
      yield* required(projection, `${place}.${type}`, 'name');
      yield* each(projection.items, `${place}.${type}.items`, function* (item, itemPath) {
        yield* keyToPathCauses(item, itemPath);
        yield* duplicate(item.path, projection.name ?? '');
      });
    }
    for (const file of source.downwardAPI?.items ?? []) {
      yield* downwardFileCauses(file, `${place}.downwardAPI`);
      yield* duplicate(file.path, file.path);
    }
    const token = source.serviceAccountToken;
    if (token !== undefined) {
      const seconds = token.expirationSeconds ?? 0;
      const field = `${place}.serviceAccountToken.expirationSeconds`;
      if (seconds < MIN_TOKEN_SECONDS) {
        yield fieldInvalid(field, seconds, 'may not specify a duration less than 10 minutes');
      }
      if (seconds > MAX_TOKEN_SECONDS) {
        yield fieldInvalid(field, seconds, 'may not specify a duration larger than 2^32 seconds');
      }
      if (!token.path) yield fieldRequired(`${path}.path`);
      else yield* localPathCauses(token.path, `${path}.path`);
    }
    if (Object.values(source).filter((value) => value !== undefined).length > 1) {
      yield fieldForbidden(place, 'may not specify more than 1 volume type per source');
    }
  });
}

const MAX_DRIVER_NAME = 63;

/** Causes for the name of a CSI driver. */
function* csiDriverNameCauses(name: string | undefined, path: string): CauseSteps {
  if (!name) yield fieldRequired(path);
  else {
    if (name.length > MAX_DRIVER_NAME) yield fieldTooLong(path, MAX_DRIVER_NAME);
    yield* invalids(path, name, dns1123SubdomainErrors(name.toLowerCase()));
  }
}

function* csiCauses({ driver, nodePublishSecretRef }: CSIVolumeSource, path: string): CauseSteps {
  yield* csiDriverNameCauses(driver, `${path}.driver`);
  if (nodePublishSecretRef === undefined) return;
  const { name } = nodePublishSecretRef;
  if (!name) yield fieldRequired(`${path}.nodePublishSecretRef.name`);
  else yield* invalids(`${path}.name`, name, dns1123SubdomainErrors(name));
}

function* ephemeralCauses({ volumeClaimTemplate: template }: EphemeralVolumeSource, path: string): CauseSteps {
  const place = `${path}.volumeClaimTemplate`;
  if (template === undefined) {
    yield fieldRequired(place);
    return;
  }
  const { metadata = {}, spec } = template;
  yield* labelCauses(metadata.labels, `${place}.metadata.labels`);
  for (const field of Object.keys(metadata)) {
    if (field === 'labels' || field === 'annotations') continue;
    yield fieldForbidden(`${place}.metadata.${field}`, 'cannot be set');
  }
  yield* claimSpecCauses(spec, `${place}.spec`);
}

const INITIATOR = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function* initiatorCauses(name: string, path: string): CauseSteps {
  const prefix = name.slice(0, 3);
  if (!(prefix in INITIATOR)) yield fieldInvalid(path, name, 'must be valid format starting with iqn, eui, or naa');
  else if (name.length > 1024 || !INITIATOR[prefix as keyof typeof INITIATOR].test(name)) {
    yield fieldInvalid(path, name, 'must be valid format');
  }
}

function* iscsiCauses(source: ISCSIVolumeSource, path: string): CauseSteps {
  yield* required(source, path, 'targetPortal', 'iqn');
  if (source.iqn) yield* initiatorCauses(source.iqn, `${path}.iqn`);
  yield* invalids(`${path}.lun`, source.lun, rangeErrors(source.lun ?? 0, 0, 255));
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && source.secretRef === undefined) {
    yield fieldRequired(`${path}.secretRef`);
  }
  if (source.initiatorName !== undefined) yield* initiatorCauses(source.initiatorName, `${path}.initiatorname`);
}

function* fcCauses({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, path: string): CauseSteps {
  const place = `${path}.targetWWNs`;
  if (targetWWNs.length === 0) {
    if (wwids.length === 0) yield fieldRequired(place, 'must specify either targetWWNs or wwids, but not both');
    return;
  }
  if (wwids.length > 0) {
    yield fieldInvalid(place, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously');
  }
  if (lun === undefined) yield fieldRequired(`${path}.lun`, 'lun is required if targetWWNs is specified');
  else yield* invalids(`${path}.lun`, lun, rangeErrors(lun, 0, 255));
}

function* quobyteCauses({ registry, tenant, volume }: QuobyteVolumeSource, path: string): CauseSteps {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  if (!registry) yield fieldRequired(`${path}.registry`, pairs);
  else if ((tenant ?? '').length > 64) {
    yield fieldRequired(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters');
  } else {
    for (const pair of registry.split(',')) {
      if (!/^(?:[^:[\]]*|\[[^[\]]*\]):[^:]*$/.test(pair)) yield fieldInvalid(`${path}.registry`, registry, pairs);
    }
  }
  if (!volume) yield fieldRequired(`${path}.volume`);
}

function* azureDiskCauses(source: AzureDiskVolumeSource, path: string): CauseSteps {
  yield* required(source, path, 'diskName', 'diskURI');
  yield* oneOfIfSet(source.cachingMode, ['None', 'ReadOnly', 'ReadWrite'], `${path}.cachingMode`);
  yield* oneOfIfSet(source.kind, ['Dedicated', 'Managed', 'Shared'], `${path}.kind`);
  const uri = source.diskURI ?? '';
  if (source.kind === 'Managed' && !uri.startsWith('/subscriptions/')) {
    const form = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
    yield fieldNotSupported(`${path}.diskURI`, uri, [form]);
  } else if (source.kind !== undefined && source.kind !== 'Managed' && !uri.startsWith('https://')) {
    const form = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
    yield fieldNotSupported(`${path}.diskURI`, uri, [form]);
  }
}
