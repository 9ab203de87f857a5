import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, Secret } from '../../resources/types/core-v1.js';
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../resources/types/storage-v1.js';
import { ageOf } from './cell-text.js';
import { AGE, boolean, integer, kindTable, NAME, text, wide } from './columns.js';
import type { KindTable } from './kind-table.js';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const ACCESS_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** The tables of volumes and of what holds data, by `group/Kind`. */
export const storageTables: Readonly<Record<string, KindTable>> = {
  '/ConfigMap': kindTable<ConfigMap>([NAME, text('Data'), AGE], (object, now) => [
    object.metadata.name,
    sizeOf(object.data) + sizeOf(object.binaryData),
    ageOf(object, now),
  ]),
  '/Secret': kindTable<Secret>([NAME, text('Type'), text('Data'), AGE], (object, now) => [
    object.metadata.name,
    object.type ?? '',
    sizeOf(object.data),
    ageOf(object, now),
  ]),
  '/PersistentVolume': kindTable<PersistentVolume>(
    [
      NAME,
      ...['Capacity', 'Access Modes', 'Reclaim Policy', 'Status', 'Claim'].map((name) => text(name)),
      text('StorageClass', 'StorageClass of the pv'),
      text('VolumeAttributesClass', 'VolumeAttributesClass of the pv'),
      text('Reason'),
      AGE,
      wide('VolumeMode'),
    ],
    (volume, now) => {
      const { metadata, spec, status } = volume;
      const claim = spec?.claimRef;
      return [
        metadata.name,
        String(spec?.capacity?.['storage'] ?? '0'),
        accessModes(spec?.accessModes),
        spec?.persistentVolumeReclaimPolicy ?? '',
        metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
        claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`,
        metadata.annotations?.[BETA_CLASS] ?? spec?.storageClassName ?? '',
        spec?.volumeAttributesClassName ?? '<unset>',
        status?.reason ?? '',
        ageOf(volume, now),
        spec?.volumeMode ?? '<unset>',
      ];
    },
  ),
  '/PersistentVolumeClaim': kindTable<PersistentVolumeClaim>(
    [
      NAME,
      text('Status', 'phase represents the current phase of PersistentVolumeClaim.'),
      ...['Volume', 'Capacity', 'Access Modes'].map((name) => text(name)),
      text('StorageClass', 'StorageClass of the pvc'),
      text('VolumeAttributesClass', 'VolumeAttributesClass of the pvc'),
      AGE,
      wide('VolumeMode'),
    ],
    (claim, now) => {
      const { metadata, spec, status } = claim;
      const isBound = Boolean(spec?.volumeName);
      return [
        metadata.name,
        metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
        spec?.volumeName ?? '',
        isBound ? String(status?.capacity?.['storage'] ?? '0') : '',
        isBound ? accessModes(status?.accessModes) : '',
        metadata.annotations?.[BETA_CLASS] ?? spec?.storageClassName ?? '',
        spec?.volumeAttributesClassName ?? '<unset>',
        ageOf(claim, now),
        spec?.volumeMode ?? '<unset>',
      ];
    },
  ),
  'storage.k8s.io/StorageClass': kindTable<StorageClass>(
    [
      NAME,
      text('Provisioner', 'provisioner indicates the type of the provisioner.'),
      ...['ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion'].map((name) => text(name)),
      AGE,
    ],
    (object, now) => {
      const { name, annotations } = object.metadata;
      return [
        DEFAULT_CLASS.some((key) => annotations?.[key] === 'true') ? `${name} (default)` : name,
        object.provisioner ?? '',
        object.reclaimPolicy ?? 'Delete',
        object.volumeBindingMode ?? 'Immediate',
        object.allowVolumeExpansion ?? false,
        ageOf(object, now),
      ];
    },
  ),
  'storage.k8s.io/VolumeAttributesClass': kindTable<VolumeAttributesClass>(
    [NAME, text('DriverName', 'Name of the CSI driver This field is immutable.'), AGE],
    (object, now) => [object.metadata.name, object.driverName ?? '', ageOf(object, now)],
  ),
  'storage.k8s.io/VolumeAttachment': kindTable<VolumeAttachment>(
    [NAME, text('Attacher', '', { format: 'name' }), text('PV'), text('Node'), boolean('Attached'), AGE],
    (object, now) => {
      const { metadata, spec, status } = object;
      const volume = spec?.source?.persistentVolumeName ?? '';
      return [
        metadata.name,
        spec?.attacher ?? '',
        volume,
        spec?.nodeName ?? '',
        status?.attached ?? false,
        ageOf(object, now),
      ];
    },
  ),
  'storage.k8s.io/CSINode': kindTable<CSINode>([NAME, integer('Drivers'), AGE], (object, now) => [
    object.metadata.name,
    object.spec?.drivers?.length ?? 0,
    ageOf(object, now),
  ]),
  'storage.k8s.io/CSIDriver': kindTable<CSIDriver>(
    [
      NAME,
      ...['AttachRequired', 'PodInfoOnMount', 'StorageCapacity'].map((name) => boolean(name)),
      text('TokenRequests'),
      boolean('RequiresRepublish'),
      text('Modes'),
      AGE,
    ],
    (object, now) => {
      const { metadata, spec } = object;
      return [
        metadata.name,
        spec?.attachRequired ?? true,
        spec?.podInfoOnMount ?? false,
        spec?.storageCapacity ?? false,
        spec?.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
        spec?.requiresRepublish ?? false,
        (spec?.volumeLifecycleModes ?? []).join(',') || '<none>',
        ageOf(object, now),
      ];
    },
  ),
};

function sizeOf(map: object | undefined): number {
  return Object.keys(map ?? {}).length;
}

function accessModes(modes: readonly string[] | undefined): string {
  return ACCESS_MODES.flatMap(([mode, short]) => (modes?.includes(mode) === true ? [short] : [])).join(',');
}
