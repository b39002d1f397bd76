import type { Content, ContentType } from '../../core/messages/content.js'

/** Content that keeps the limits of its type. */
export type Sample = { readonly type: ContentType; readonly content: Content; readonly summary: string }

const body = { text: 'Which size?' }
const footer = { text: 'The shop' }
const link = 'https://shop.example/boots.jpg'
const card = (index: number, action: Content) => ({
  card_index: index, type: 'cta_url', header: { type: 'image', image: { link } }, body: { text: 'Boots\nof\nleather' }, action,
})
const toShop = { name: 'cta_url', parameters: { display_text: 'Look', url: 'https://shop.example' } }
const reply = (title: string) => ({ type: 'reply', reply: { id: title.toLowerCase(), title } })
const quickReply = (title: string) => ({ type: 'quick_reply', quick_reply: { id: title.toLowerCase(), title } })
const row = (id: string) => ({ id, title: `Size ${id}` })

const interactive = (summary: string, type: string, content: object): Sample =>
  ({ type: 'interactive', content: { type, ...content }, summary })

/** Every type, and every type of interactive content. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  text: { type: 'text', content: { body: 'See https://shop.example', preview_url: true }, summary: 'text' },
  image: { type: 'image', content: { link, caption: 'Boots' }, summary: 'image with caption' },
  'image by id': { type: 'image', content: { id: '1003383421387256' }, summary: 'image' },
  video: { type: 'video', content: { id: '1003383421387256', caption: '' }, summary: 'video with caption' },
  audio: { type: 'audio', content: { link: 'http://shop.example/a.mp3' }, summary: 'audio' },
  'voice note': { type: 'audio', content: { id: '1', voice: true }, summary: 'voice note' },
  document: { type: 'document', content: { id: '1', filename: 'bill.pdf' }, summary: 'document' },
  sticker: { type: 'sticker', content: { id: '1' }, summary: 'sticker' },
  location: {
    type: 'location', content: { latitude: '52.5219', longitude: -13.4, name: 'Shop', address: 'Alexanderplatz 1' }, summary: 'location',
  },
  contacts: {
    type: 'contacts', summary: 'contacts, 2 cards',
    content: [
      {
        name: { formatted_name: 'Ann', first_name: 'Ann' },
        phones: [{ phone: '+49 151 23456789', type: 'CELL', wa_id: '4915123456789' }],
        birthday: '1990-02-28',
      },
      {
        name: { formatted_name: 'The shop' }, emails: [{ email: 'shop@example.com' }], urls: [{ url: 'https://shop.example' }],
        addresses: [{ city: 'Berlin' }], org: { company: 'Shop' },
      },
    ],
  },
  'contact with null and empty fields': {
    type: 'contacts', summary: 'contacts, 1 card',
    content: [{
      name: { formatted_name: 'Ann', first_name: 'Ann', middle_name: null },
      phones: [{ phone: '+49 151 23456789', type: null, wa_id: null }], emails: [], urls: null, addresses: null, org: {}, birthday: '',
    }],
  },
  'image with null fields': { type: 'image', content: { id: null, link, caption: null }, summary: 'image' },
  reaction: { type: 'reaction', content: { message_id: 'wamid.HBgNNTUx', emoji: '👍' }, summary: 'reaction' },
  'reaction taken back': { type: 'reaction', content: { message_id: 'wamid.HBgNNTUx', emoji: '' }, summary: 'reaction taken back' },
  button: interactive('buttons, 2 choices', 'button', {
    header: { type: 'document', document: { link, filename: 'a.pdf' } }, body, footer, action: { buttons: [reply('Yes'), reply('No')] },
  }),
  list: interactive('list, 3 rows', 'list', {
    header: { type: 'text', text: 'Sizes' }, body, footer,
    action: {
      button: 'Choose',
      sections: [{ title: 'Small', rows: [row('36'), row('37')] }, { title: 'Large', rows: [{ ...row('44'), description: 'On order' }] }],
    },
  }),
  'buttons with null fields': interactive('buttons, 1 choice', 'button', {
    header: null, body, footer: null, action: { buttons: [reply('Yes')] },
  }),
  'list of one section': interactive('list, 1 row', 'list', { body, action: { button: 'Choose', sections: [{ rows: [row('36')] }] } }),
  cta_url: interactive('cta url', 'cta_url', { header: { type: 'video', video: { id: '1' } }, body, action: toShop }),
  carousel: interactive('carousel, 2 cards', 'carousel', { body, action: { cards: [card(0, toShop), card(1, toShop)] } }),
  'carousel of replies': interactive('carousel, 2 cards', 'carousel', {
    body,
    action: {
      cards: [card(0, { buttons: [quickReply('Yes'), quickReply('No')] }), card(1, { buttons: [quickReply('Yes'), quickReply('No')] })],
    },
  }),
  location_request_message: interactive('location request', 'location_request_message', { body, action: { name: 'send_location' } }),
  flow: interactive('flow', 'flow', {
    body,
    action: {
      name: 'flow',
      parameters: {
        flow_message_version: '3', flow_id: '1', flow_cta: 'Book', mode: 'draft', flow_action: 'navigate',
        flow_action_payload: { screen: 'FIRST' },
      },
    },
  }),
  product: interactive('product', 'product', { action: { catalog_id: '1', product_retailer_id: 'boots' } }),
  product_list: interactive('product list, 2 products', 'product_list', {
    header: { type: 'text', text: 'Boots' }, body,
    action: { catalog_id: '1', sections: [{ product_items: [{ product_retailer_id: 'a' }, { product_retailer_id: 'b' }] }] },
  }),
  catalog_message: interactive('catalog', 'catalog_message', {
    body, action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'a' } },
  }),
  request_contact_info: interactive('request contact info', 'request_contact_info', { body, action: { name: 'request_contact_info' } }),
  call_permission_request: interactive('call permission request', 'call_permission_request', {
    action: { name: 'call_permission_request' },
  }),
  voice_call: interactive('voice call', 'voice_call', { body, action: { name: 'voice_call', parameters: { display_text: 'Call us' } } }),
  address_message: interactive('address', 'address_message', { body, action: { name: 'address_message', parameters: { country: 'IN' } } }),
}
