import type { Placeholder } from './placeholder.js'
import type { Template } from './template.js'
import { partsOf, type TemplatePart, type TemplateParts } from './template-parts.js'

/** The places that a send of a template fills, as far as they are known; `undefined` where the template's components are not. */
export const placeholdersOf = (template: Template): ReadonlyArray<Placeholder> | undefined => {
  const parts = partsOf(template)
  return parts === undefined ? undefined : [...ofParts(parts), ...(parts.cards ?? []).flatMap((card, index) => ofParts(card, index))]
}

const ofParts = ({ parts }: TemplateParts, card?: number): ReadonlyArray<Placeholder> => parts.flatMap((part) => ofPart(part, card))

const ofPart = ({ component, button, takes }: TemplatePart, card: number | undefined): ReadonlyArray<Placeholder> => {
  const at = { component, ...(button === undefined ? {} : { button }), ...(card === undefined ? {} : { card }) }
  switch (takes._tag) {
    case 'Variables': return takes.names.map((name) => ({ ...at, type: 'text', ...(takes.named ? { name } : { index: Number(name) }) }))
    case 'One': return [{ ...at, type: takes.type, ...(takes.optional ? { optional: true } : {}) }]
    case 'Nothing': case 'Unknown': return []
  }
}
