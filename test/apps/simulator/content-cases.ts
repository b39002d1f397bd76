import { CUSTOMER } from './support.js'

/** A body of a message, and the code and words with which it is refused. */
export type Refusal = readonly [title: string, body: object, code: number, says: RegExp]
export type Accepted = readonly [title: string, body: object]

const chars = (count: number): string => 'x'.repeat(count)
const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> => Array.from({ length: count }, (_, index) => make(index))

/** A message of a type, with the object that its type names. */
export const message = (type: string, content: unknown, besides: object = {}): object =>
  ({ messaging_product: 'whatsapp', recipient_type: 'individual', to: CUSTOMER, type, [type]: content, ...besides })

const LINK = 'https://shop.example/files/lamp'
const BODY = { text: 'Which one?' }

/** An interactive message of a type, with a body unless it is said otherwise. */
export const interactive = (type: string, action: unknown, besides: object = {}): object =>
  message('interactive', { type, body: BODY, action, ...besides })

const reply = (id: string, title = id): object => ({ type: 'reply', reply: { id, title } })
const quick = (id: string, title = id): object => ({ type: 'quick_reply', quick_reply: { id, title } })
const buttons = (count: number, besides: object = {}): object =>
  interactive('button', { buttons: times(count, (index) => reply(`b${index}`)) }, besides)
const row = (id: string, besides: object = {}): object => ({ id, title: 'One', ...besides })
const listOf = (sections: unknown, besides: object = {}, button = 'Choose'): object => interactive('list', { button, sections }, besides)
const url = (display = 'Open', address = LINK): object => ({ name: 'cta_url', parameters: { display_text: display, url: address } })
const card = (index: number, besides: object = {}): object =>
  ({ card_index: index, type: 'cta_url', header: { type: 'image', image: { link: LINK } }, action: url(), ...besides })
const carousel = (cards: unknown, besides: object = {}): object => interactive('carousel', { cards }, besides)
const flow = (parameters: object = {}): object =>
  interactive('flow', { name: 'flow', parameters: { flow_message_version: '3', flow_id: '1', flow_cta: 'Book', ...parameters } })
const products = (counts: ReadonlyArray<number>, besides: object = {}, title: string | undefined = 'Lamps'): object => interactive(
  'product_list', {
    catalog_id: '1',
    sections: counts.map((count) => ({ title, product_items: times(count, (index) => ({ product_retailer_id: `p${index}` })) })),
  }, { header: { type: 'text', text: 'Our lamps' }, ...besides },
)
const contact = (besides: object = {}): object => ({
  name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' }, phones: [{ phone: '+15550109998' }], ...besides,
})
const header = (type: string, value: unknown): object => ({ header: { type, [type]: value } })

export const ACCEPTED: ReadonlyArray<Accepted> = [
  ['a text of 4,096 characters', message('text', { body: chars(4096), preview_url: true })],
  ['a text that quotes', message('text', { body: 'Yes' }, { context: { message_id: 'wamid.A' } })],
  ...['image', 'video', 'audio', 'document', 'sticker'].flatMap((type): ReadonlyArray<Accepted> => [
    [`${type} by address`, message(type, { link: LINK })], [`${type} by id`, message(type, { id: '1000000000000001' })],
  ]),
  ...['image', 'video', 'document'].map((type): Accepted =>
    [`${type} with a caption of 1,024 characters`, message(type, { link: LINK, caption: chars(1024) })]),
  ['a voice message', message('audio', { link: LINK, voice: true })],
  ['a document with a name', message('document', { link: LINK, filename: 'order.pdf' })],
  ['a location at the edge of the world', message('location', { latitude: '-90', longitude: '180', name: 'Shop', address: 'Road 1' })],
  ['a location in numbers', message('location', { latitude: 90, longitude: -180 })],
  ['257 contacts', message('contacts', times(257, () => contact()))],
  ['a contact with everything', message('contacts', [contact({
    phones: [{ phone: '+1', type: 'CELL', wa_id: '1' }], emails: [{ email: 'a@b.example', type: 'WORK' }],
    urls: [{ url: LINK, type: 'WORK' }],
    addresses: [{ street: 'Road 1', city: 'Berlin', state: 'BE', zip: '10178', country: 'Germany', country_code: 'DE', type: 'HOME' }],
    org: { company: 'Shop', department: 'Lamps', title: 'Boss' }, birthday: '2024-02-29',
  })])],
  ['a reaction', message('reaction', { message_id: 'wamid.A', emoji: '👍🏽' })],
  ['a reaction of several characters', message('reaction', { message_id: 'wamid.A', emoji: '👨‍👩‍👧' })],
  ['a reaction that is taken back', message('reaction', { message_id: 'wamid.A', emoji: '' })],
  ['3 reply buttons', buttons(3)],
  ['the longest reply button and its parts', interactive('button', { buttons: [reply(chars(256), chars(20))] }, {
    header: { type: 'text', text: chars(60) }, body: { text: chars(1024) }, footer: { text: chars(60) },
  })],
  ...['image', 'video', 'document'].map((type): Accepted => [`reply buttons under ${type}`, buttons(1, header(type, { link: LINK }))]),
  ['a list of 10 rows in 10 sections', listOf(times(10, (index) => ({ title: chars(24), rows: [row(`r${index}`)] })))],
  ['a list with the longest parts', listOf([{ rows: [{ id: chars(200), title: chars(24), description: chars(72) }] }], {
    header: { type: 'text', text: chars(60) }, body: { text: chars(4096) }, footer: { text: chars(60) },
  }, chars(20))],
  ['a URL button', interactive('cta_url', url(chars(20)), { ...header('image', { id: '1' }), body: { text: chars(1024) } })],
  ['2 cards with URL buttons', carousel(times(2, (index) => card(index)))],
  ['10 cards with two quick replies each',
    carousel(times(10, (index) => card(index, { type: undefined, action: { buttons: [quick(`a${index}`), quick(`b${index}`)] } })))],
  ['a card with 160 characters and 2 line breaks',
    carousel([card(0, { body: { text: `a\nb\n${chars(156)}` } }), card(1, header('video', { id: '1' }))])],
  ['a request for a location', interactive('location_request_message', { name: 'send_location' }, { body: { text: chars(1024) } })],
  ['a flow by id',
    flow({ flow_cta: chars(20), mode: 'draft', flow_token: 't', flow_action: 'navigate', flow_action_payload: { screen: 'FIRST' } })],
  ['a flow by name', flow({ flow_id: undefined, flow_name: 'booking' })],
  ['a product', interactive('product', { catalog_id: '1', product_retailer_id: 'a17' }, { body: undefined, footer: { text: chars(60) } })],
  ['30 products in two sections', products([15, 15])],
  ['the catalog', interactive('catalog_message', { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'a17' } })],
  ['the catalog without a picture', interactive('catalog_message', { name: 'catalog_message' })],
  ['a request for the number', interactive('request_contact_info', { name: 'request_contact_info' })],
  ['a request to call', interactive('call_permission_request', { name: 'call_permission_request' })],
  ['a call', interactive('voice_call', { name: 'voice_call', parameters: { display_text: 'Call us' } })],
  ['a request for an address',
    interactive('address_message', { name: 'address_message', parameters: { country: 'IN', values: { name: 'Ada' } } })],
]

const param = (path: string, says: string): RegExp => new RegExp(`${path.replace(/[[\]]/g, '\\$&')}.* ${says}`)
const AT_MOST = 'must be at most'

export const REFUSED: ReadonlyArray<Refusal> = [
  ['a preview that is no boolean', message('text', { body: 'x', preview_url: 'yes' }), 100,
    param('text[\'preview_url\']', 'must be a boolean')],
  ['a misspelt field', message('text', { body: 'x', preview: true }), 100, /Unexpected key "preview" on param "text"/],
  ['a context without an id', message('text', { body: 'x' }, { context: {} }), 131008, /context.message_id is missing/],
  ['a context that is a text', message('text', { body: 'x' }, { context: 'wamid.A' }), 100, param('context', 'must be a JSON object')],
  ...['image', 'video', 'audio', 'document', 'sticker'].flatMap((type): ReadonlyArray<Refusal> => [
    [`${type} without its object`, message(type, undefined), 131008, new RegExp(`${type} is missing`)],
    [`${type} without an id or address`, message(type, {}), 131008, new RegExp(`${type}.id or ${type}.link is missing`)],
    [`${type} with an id and an address`, message(type, { id: '1', link: LINK }), 100, /either id or link/],
    [`${type} by an address that is none`, message(type, { link: 'lamp.jpg' }), 100, param(`${type}['link']`, 'is not a valid URI')],
    [`${type} by an address of another protocol`, message(type, { link: 'ftp://shop.example/a' }), 100,
      param(`${type}['link']`, 'is not a valid URI')],
    [`${type} by an id that is a number`, message(type, { id: 1 }), 100, param(`${type}['id']`, 'must be a string')],
  ]),
  ...['image', 'video', 'document'].map((type): Refusal =>
    [
      `${type} with a caption of 1,025 characters`, message(type, { link: LINK, caption: chars(1025) }), 100,
      param(`${type}['caption']`, `${AT_MOST} 1024`),
    ]),
  ...['audio', 'sticker'].map((type): Refusal =>
    [`${type} with a caption`, message(type, { link: LINK, caption: 'x' }), 100, /Unexpected key "caption"/]),
  ['an image with a name', message('image', { link: LINK, filename: 'a.jpg' }), 100, /Unexpected key "filename"/],
  ['a voice that is no boolean', message('audio', { link: LINK, voice: 'yes' }), 100, param('audio[\'voice\']', 'must be a boolean')],
  ['a location without a latitude', message('location', { longitude: '1' }), 131008, /location.latitude is missing/],
  ['a location without degrees', message('location', { latitude: '', longitude: '1' }), 100, /must be a number of degrees/],
  ['a location beyond the pole', message('location', { latitude: '90.0001', longitude: '1' }), 100,
    param('location[\'latitude\']', 'must be a number of degrees')],
  ['a location beyond the date line', message('location', { latitude: '1', longitude: '-180.0001' }), 100,
    param('location[\'longitude\']', 'must be')],
  ['258 contacts', message('contacts', times(258, () => contact())), 131009, /258 elements; 1 to 257/],
  ['no contacts', message('contacts', []), 131009, /0 elements; 1 to 257/],
  ['one contact that is no list', message('contacts', contact()), 100, param('contacts', 'must be an array')],
  ['a contact without a name', message('contacts', [{ phones: [] }]), 131008, /contacts.0.name is missing/],
  ['a contact without a formatted name', message('contacts', [{ name: { first_name: 'Ada' } }]), 131008, /contacts.0.name.formatted_name is missing/],
  ['a contact with an empty name', message('contacts', [{ name: { formatted_name: '' } }]), 100, /contacts\[0\]\['name'\]\['formatted_name'\] is required/],
  ['a phone without a number', message('contacts', [contact({ phones: [{ type: 'CELL' }] })]), 131008,
    /contacts.0.phones.0.phone is missing/],
  ['a birthday that never was', message('contacts', [contact({ birthday: '2023-02-29' })]), 100, /YYYY-MM-DD/],
  ['a birthday in another form', message('contacts', [contact({ birthday: '29.02.2024' })]), 100, /YYYY-MM-DD/],
  ['a reaction to nothing', message('reaction', { emoji: '👍' }), 131008, /reaction.message_id is missing/],
  ['a reaction without an emoji', message('reaction', { message_id: 'wamid.A' }), 131008, /reaction.emoji is missing/],
  ['a reaction in words', message('reaction', { message_id: 'wamid.A', emoji: 'ok' }), 100, /must be one emoji/],
  ['a reaction of a letter', message('reaction', { message_id: 'wamid.A', emoji: 'x' }), 100, /must be one emoji/],
  ['a reaction of two', message('reaction', { message_id: 'wamid.A', emoji: '👍👍' }), 100, /must be one emoji/],
  ['a reaction that quotes', message('reaction', { message_id: 'wamid.A', emoji: '👍' }, { context: { message_id: 'wamid.B' } }), 131009,
    /cannot be a contextual reply/],
  ['interactive without its object', message('interactive', undefined), 131008, /interactive is missing/],
  ['interactive without a type', message('interactive', {}), 131008, /interactive.type is missing/],
  ['interactive of an unknown type', interactive('hologram', {}), 100, param('interactive[\'type\']', 'must be one of')],
  ['interactive of the type constructor', interactive('constructor', {}), 100, param('interactive[\'type\']', 'must be one of')],
  ['interactive without a body', buttons(1, { body: undefined }), 131008, /interactive.body is missing/],
  ['interactive without an action', interactive('button', undefined), 131008, /interactive.action is missing/],
  ['an empty body', buttons(1, { body: { text: '' } }), 100, /interactive\['body'\]\['text'\] is required/],
  ['a body of 1,025 characters', buttons(1, { body: { text: chars(1025) } }), 100,
    param('interactive[\'body\'][\'text\']', `${AT_MOST} 1024`)],
  ['a footer of 61 characters', buttons(1, { footer: { text: chars(61) } }), 100,
    param('interactive[\'footer\'][\'text\']', `${AT_MOST} 60`)],
  ['a header of 61 characters', buttons(1, header('text', chars(61))), 100, param('interactive[\'header\'][\'text\']', `${AT_MOST} 60`)],
  ['a header of sound', buttons(1, header('audio', { link: LINK })), 100, param('interactive[\'header\'][\'type\']', 'must be one of')],
  ['a header of two types', buttons(1, { header: { type: 'text', text: 'x', image: { link: LINK } } }), 100, /Unexpected key "image"/],
  ['a header without its object', buttons(1, { header: { type: 'image' } }), 131008, /interactive.header.image is missing/],
  ['no buttons', buttons(0), 131009, /0 elements; 1 to 3/],
  ['4 buttons', buttons(4), 131009, /4 elements; 1 to 3/],
  ['a button of 21 characters', interactive('button', { buttons: [reply('a', chars(21))] }), 100, /\['title'\] must be at most 20/],
  ['a button with an id of 257', interactive('button', { buttons: [reply(chars(257), 'x')] }), 100, /\['id'\] must be at most 256/],
  ['a button without a title', interactive('button', { buttons: [{ type: 'reply', reply: { id: 'a' } }] }), 131008,
    /buttons.0.reply.title is missing/],
  ['buttons of one title', interactive('button', { buttons: [reply('a', 'x'), reply('b', 'x')] }), 131009, /Duplicated title/],
  ['buttons of one id', interactive('button', { buttons: [reply('a', 'x'), reply('a', 'y')] }), 131009, /Duplicated id/],
  ['a button of another type', interactive('button', { buttons: [{ type: 'quick_reply', reply: { id: 'a', title: 'a' } }] }), 100,
    /must be one of \{reply\}/],
  ['11 sections', listOf(times(11, (index) => ({ title: 't', rows: [row(`r${index}`)] }))), 131009, /11 elements; 1 to 10/],
  ['11 rows in one section', listOf([{ rows: times(11, (index) => row(`r${index}`)) }]), 131009, /11 elements; 1 to 10/],
  ['11 rows in two sections', listOf([5, 6].map((count) => ({ title: 't', rows: times(count, (index) => row(`${count}-${index}`)) }))),
    131009, /11 rows; 10 are the most/],
  ['a section without rows', listOf([{ rows: [] }]), 131009, /0 elements/],
  ['two sections, one without a title', listOf([{ title: 't', rows: [row('a')] }, { rows: [row('b')] }]), 131008,
    /sections.1.title is missing/],
  ['a section of 25 characters', listOf([{ title: chars(25), rows: [row('a')] }]), 100, /\['title'\] must be at most 24/],
  ['a row with an id of 201', listOf([{ rows: [row(chars(201))] }]), 100, /\['id'\] must be at most 200/],
  ['a row of 25 characters', listOf([{ rows: [row('a', { title: chars(25) })] }]), 100, /\['title'\] must be at most 24/],
  ['a description of 73', listOf([{ rows: [row('a', { description: chars(73) })] }]), 100, /\['description'\] must be at most 72/],
  ['rows of one id', listOf([{ title: 't', rows: [row('a')] }, { title: 'u', rows: [row('a')] }]), 131009, /Duplicated row id/],
  ['a list button of 21', listOf([{ rows: [row('a')] }], {}, chars(21)), 100, /\['button'\] must be at most 20/],
  ['a list body of 4,097', listOf([{ rows: [row('a')] }], { body: { text: chars(4097) } }), 100, /at most 4096/],
  ['a list under a picture', listOf([{ rows: [row('a')] }], header('image', { link: LINK })), 100, /must be one of {text}/],
  ['a URL button of 21', interactive('cta_url', url(chars(21))), 100, /\['display_text'\] must be at most 20/],
  ['a URL button to nowhere', interactive('cta_url', url('Open', 'shop.example')), 100, /\['url'\] is not a valid URI/],
  ['a URL button of another name', interactive('cta_url', { ...url(), name: 'url' }), 100, /must be one of {cta_url}/],
  ['1 card', carousel([card(0)]), 131009, /1 elements; 2 to 10/],
  ['11 cards', carousel(times(11, (index) => card(index))), 131009, /11 elements; 2 to 10/],
  ['cards in another order', carousel([card(1), card(0)]), 100, /position of the card/],
  ['a card of 161 characters', carousel([card(0, { body: { text: chars(161) } }), card(1)]), 100, /at most 160/],
  ['a card of 3 line breaks', carousel([card(0, { body: { text: 'a\nb\nc\nd' } }), card(1)]), 100, /at most 2 line breaks/],
  ['a card without a picture', carousel([card(0, { header: undefined }), card(1)]), 131008, /cards.0.header is missing/],
  ['a card with a document', carousel([card(0, header('document', { link: LINK })), card(1)]), 100, /must be one of {image, video}/],
  ['cards of both kinds', carousel([card(0), card(1, { action: { buttons: [quick('a')] } })]), 131009, /same number of quick replies/],
  ['cards with one and two quick replies',
    carousel([card(0, { action: { buttons: [quick('a')] } }), card(1, { action: { buttons: [quick('b'), quick('c')] } })]), 131009,
    /same number/],
  ['a carousel with a footer', carousel([card(0), card(1)], { footer: { text: 'x' } }), 100, /Unexpected key "footer"/],
  ['a request for a location of another name', interactive('location_request_message', { name: 'location' }), 100,
    /must be one of {send_location}/],
  ['a request for a location of 1,025', interactive('location_request_message', { name: 'send_location' }, { body: { text: chars(1025) } }),
    100, /at most 1024/],
  ['a flow of 21 characters', flow({ flow_cta: chars(21) }), 100, /\['flow_cta'\] must be at most 20/],
  ['a flow with an emoji', flow({ flow_cta: 'Book 📅' }), 100, /must not have an emoji/],
  ['a flow without an id', flow({ flow_id: undefined }), 131008, /flow_id or .*flow_name is missing/],
  ['a flow with id and name', flow({ flow_name: 'booking' }), 100, /either flow_id or flow_name/],
  ['a flow of another version', flow({ flow_message_version: '2' }), 100, /must be one of \{3\}/],
  ['a flow of another mode', flow({ mode: 'secret' }), 100, /must be one of {draft, published}/],
  ['a product with a header', interactive('product', { catalog_id: '1', product_retailer_id: 'a' }, header('text', 'x')), 100,
    /Unexpected key "header"/],
  ['a product without its id', interactive('product', { catalog_id: '1' }), 131008, /product_retailer_id is missing/],
  ['31 products in two sections', products([15, 16]), 131009, /31 product_items; 30 are the most/],
  ['products without a title', products([1], { header: undefined }), 131008, /interactive.header is missing/],
  ['products under a title of 61', products([1], header('text', chars(61))), 100, /at most 60/],
  ['the catalog by another name', interactive('catalog_message', { name: 'catalog' }), 100, /must be one of {catalog_message}/],
  ['a request for the number with a footer',
    interactive('request_contact_info', { name: 'request_contact_info' }, { footer: { text: 'x' } }), 100, /Unexpected key/],
  ['a request for an address elsewhere', interactive('address_message', { name: 'address_message', parameters: { country: 'DE' } }), 131009,
    /India only/],
  ['a request for an address nowhere', interactive('address_message', { name: 'address_message' }), 131008, /parameters is missing/],
]
