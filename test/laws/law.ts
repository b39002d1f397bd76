/** A promise of a port, checkable against any fixture that claims to keep it. */
export type Law<Fixture> = {
  /** The promise, as one sentence without a full stop. */
  readonly name: string;
  /** Rejects, naming the promise broken and what was seen, when the fixture breaks it. */
  readonly check: (fixture: Fixture) => Promise<void>;
};
