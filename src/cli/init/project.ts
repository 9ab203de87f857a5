/** The names from which a project is made. */
export interface Project {
  /** Of the package, the manager, its namespace and image: `website-operator`. */
  readonly name: string;
  readonly group: string;
  /** `Website`. */
  readonly kind: string;
  /** The plural, lower-case name of the kind: `websites`. */
  readonly plural: string;
  /** The variable that holds the resource: `websites`. */
  readonly variable: string;
  /** The variable of one object: `website`. */
  readonly object: string;
  /** The version of this package. */
  readonly version: string;
}

/** The image of a project's Deployment. */
export function imageOf({ name }: Project): string {
  return `${name}:0.1.0`;
}
