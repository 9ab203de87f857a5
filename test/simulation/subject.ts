/** What one seed has shown. */
export interface SeedResult {
  /** What must not happen, one sentence each. */
  readonly problems: readonly string[];
  /** Counts by name. The runner adds those of all seeds. */
  readonly figures: Readonly<Record<string, number>>;
}

/** A failing seed. */
export interface Explanation {
  /** The problems, and the smallest plan that still fails, for people. */
  readonly text: string;
  /** The plan as JSON, which is kept in the corpus; undefined if this subject has none. */
  readonly plan?: string | undefined;
}

/** What a batch of varied plans has found. */
export interface Variation extends SeedResult {
  /** Plans that reach something new, as JSON, with what each of them reaches. */
  readonly kept: readonly { readonly plan: string; readonly reached: readonly string[] }[];
  readonly failure?: Explanation | undefined;
}

/**
 * A module that the runner of `npm run test:sim` drives, in processes of their own. Each simulated world is one.
 */
export interface Subject {
  runSeed(seed: number): Promise<SeedResult>;
  /** Runs a failing seed again, shrinks its plan, and describes it. */
  explain?(seed: number): Promise<Explanation>;
  /**
   * Varies plans of the corpus, one for each seed.
   *
   * @param reached what the corpus reaches already
   */
  vary?(from: number, to: number, corpus: readonly string[], reached: readonly string[]): Promise<Variation>;
  /** What every plan of the corpus reaches. */
  reach?(corpus: readonly string[]): Promise<readonly (readonly string[])[]>;
  /** The names of figures that must not be zero after many seeds. */
  readonly required?: readonly string[];
}
