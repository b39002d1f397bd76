/** Makes a value when it is first asked for, and gives the same one from then on. Most gateways are never asked for their contract, so their start need not wait for it. */
export const onDemand = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
