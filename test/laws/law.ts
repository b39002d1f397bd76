/** A promise of a port, which can be checked with any fixture that claims to keep it. */
export type Law<Fixture> = {
  /** The promise, as one sentence without a full stop. */
  readonly name: string;
  /** Rejects if the fixture breaks the promise; the error names the broken promise and the observed value. */
  readonly check: (fixture: Fixture) => Promise<void>;
};
