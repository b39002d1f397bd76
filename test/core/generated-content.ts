import fc, { type GeneratorValue } from 'fast-check'
import type { Content, ContentType } from '../../core/messages/content.js'

const times = <Item>(count: number, item: (index: number) => Item): ReadonlyArray<Item> =>
  Array.from({ length: count }, (_, index) => item(index))
const long = (length: number): string => 'x'.repeat(length)
const product = { product_retailer_id: 'a' }
const contact = { name: { formatted_name: 'Ann' } }
const carousel = 'interactive.action.cards'
const sections = 'interactive.action.sections'

/** Content near the limits of its type, and the paths where it breaks them. */
export type GeneratedContent = { readonly type: ContentType; readonly content: Content; readonly broken: ReadonlySet<string> }

/** Makes content near its limits. */
export const generated = (generate: GeneratorValue): GeneratedContent => {
  const broken = new Set<string>()
  const sized = (path: string, most: number, least = 1): string => {
    const isNear = generate(() => fc.nat({ max: 9 })) === 0
    const length = generate(() => fc.constantFrom(least, most, ...(isNear ? [most + 1, Math.max(0, least - 1)] : [])))
    if (length < least || length > most) broken.add(path)
    return long(length)
  }
  const counted = <Item>(path: string, least: number, most: number, item: (path: string, index: number) => Item): ReadonlyArray<Item> => {
    const count = generate(() => fc.integer({ min: Math.max(0, least - 1), max: most + 1 }))
    if (count < least || count > most) broken.add(path)
    return times(count, (index) => item(`${path}[${index}]`, index))
  }
  const [type, content] = generate(() => fc.constantFrom(...GENERATED))(sized, counted, broken, () => generate(() => fc.boolean()))
  return { type, content, broken }
}

type Sized = (path: string, most: number, least?: number) => string
type Counted = <Item>(path: string, least: number, most: number, item: (path: string, index: number) => Item) => ReadonlyArray<Item>
type Generated = (sized: Sized, counted: Counted, broken: Set<string>, coin: () => boolean) => readonly [ContentType, Content]

const titled = (sized: Sized, path: string, index: number) => ({ id: `${index}${sized(`${path}.id`, 255, 0)}`, title: `${index}${sized(`${path}.title`, 19, 0)}` })

/** Makers of content near its limits, which note the paths where it breaks them. The limits are written here again, so that they are not tried against themselves. */
const GENERATED: ReadonlyArray<Generated> = [
  (sized) => ['text', { body: sized('text.body', 4096) }],
  (sized, _, broken, coin) => {
    const [id, link] = [coin(), coin()]
    if (id === link) broken.add('video')
    return ['video', { ...(id && { id: '1' }), ...(link && { link: 'https://shop.example' }), caption: sized('video.caption', 1024, 0) }]
  },
  (_, counted) => ['contacts', counted('contacts', 1, 257, () => contact)],
  (sized, counted) => ['interactive', {
    type: 'button', body: { text: sized('interactive.body.text', 1024) },
    header: { type: 'text', text: sized('interactive.header.text', 60) }, footer: { text: sized('interactive.footer.text', 60) },
    action: {
      buttons: counted('interactive.action.buttons', 1, 3, (path, index) => ({
        type: 'reply', reply: titled(sized, `${path}.reply`, index),
      })),
    },
  }],
  (sized, counted, broken) => {
    const of = counted(sections, 1, 10, (path) => ({
      title: sized(`${path}.title`, 24),
      rows: counted(`${path}.rows`, 1, 10, (at) => ({
        id: `${at.length}${at}`.slice(0, 40), title: sized(`${at}.title`, 24), description: sized(`${at}.description`, 72),
      })),
    }))
    if (of.reduce((sum, { rows }) => sum + rows.length, 0) > 10) broken.add(sections)
    return [
      'interactive',
      {
        type: 'list',
        body: { text: sized('interactive.body.text', 4096) },
        action: { button: sized('interactive.action.button', 20), sections: of },
      },
    ]
  },
  (sized, counted, broken, coin) => {
    const replies = counted('replies', 1, 3, (_, index) => ({
      type: 'quick_reply', quick_reply: { id: String(index), title: String(index) },
    }))
    broken.delete('replies')
    const isReplies = coin() && replies.length >= 1 && replies.length <= 3
    const isMixed = coin()
    const of = counted(carousel, 2, 10, (path, index) => ({
      card_index: Math.min(index, 9), type: 'cta_url', header: { type: 'image', image: { id: '1' } },
      body: { text: sized(`${path}.body.text`, 160) },
      action: isReplies && !(isMixed && index === 1)
        ? { buttons: replies }
        : {
            name: 'cta_url', parameters: { display_text: sized(`${path}.action.parameters.display_text`, 20), url: 'https://shop.example' },
          },
    }))
    if (isReplies && isMixed && of.length > 1) broken.add(carousel)
    return ['interactive', { type: 'carousel', body: { text: sized('interactive.body.text', 1024) }, action: { cards: of } }]
  },
  (sized, counted, broken) => {
    const of = counted(sections, 1, 10, (path) => ({
      title: sized(`${path}.title`, 24), product_items: counted(`${path}.product_items`, 1, 30, () => product),
    }))
    if (of.reduce((sum, { product_items: items }) => sum + items.length, 0) > 30) broken.add(sections)
    return [
      'interactive',
      { type: 'product_list', header: { type: 'text', text: 'A' }, body: { text: 'A' }, action: { catalog_id: '1', sections: of } },
    ]
  },
]
