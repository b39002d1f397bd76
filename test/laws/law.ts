/** A promise of a port, checkable against any world that claims to keep it. */
export type Law<World> = {
  /** The promise, as one sentence without a full stop. */
  readonly name: string;
  /** Rejects, naming the promise broken and what was seen, when the world breaks it. */
  readonly check: (world: World) => Promise<void>;
};
