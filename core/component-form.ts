import type { JsonObject } from './json.js'
import type { TemplatePart } from './template-parts.js'

/** The component of a request that fills a part of a template, with an ellipsis for each value that the caller has to choose. */
export const componentForm = ({ component, button, subType, takes }: TemplatePart): JsonObject => ({
  type: component,
  ...(button === undefined ? {} : { sub_type: subType ?? 'url', index: String(button) }),
  parameters:
    takes._tag === 'Variables' ? takes.names.map((name) => ({ type: 'text', ...(takes.named ? { parameter_name: name } : {}), text: '…' }))
    : takes._tag === 'One' ? [{ type: takes.type, [takes.type]: VALUES[takes.type] ?? '…' }]
    : [],
})

const VALUES: { readonly [type: string]: JsonObject } = {
  image: { link: '…' }, video: { link: '…' }, document: { link: '…' }, gif: { link: '…' },
  location: { latitude: '…', longitude: '…', name: '…', address: '…' },
  limited_time_offer: { expiration_time_ms: '…' },
}

/** The carousel of a request, with the components of its first card. */
export const carouselForm = (parts: ReadonlyArray<TemplatePart>): JsonObject => ({
  type: 'carousel', cards: [{ card_index: 0, components: parts.filter(isRequired).map(componentForm) }, '…'],
})

const isRequired = ({ takes }: TemplatePart): boolean => takes._tag === 'Variables' || (takes._tag === 'One' && !takes.optional)
