import type { TemplateButton, TemplateComponent, TemplateDefinition } from './template.js'

const body = (text: string): TemplateComponent => ({ type: 'BODY', text })
const buttons = (...all: ReadonlyArray<TemplateButton>): TemplateComponent => ({ type: 'BUTTONS', buttons: all })
const card = (text: string): { readonly components: ReadonlyArray<TemplateComponent> } => ({
  components: [
    { type: 'HEADER', format: 'IMAGE' }, body(text),
    buttons({ type: 'QUICK_REPLY', text: 'Tell me more' }, { type: 'URL', text: 'Buy it', url: 'https://shop.example/buy/{{1}}' }),
  ],
})

/** The templates that exist at start, with headers, buttons and cards of most kinds. */
export const BUILT_IN: ReadonlyArray<TemplateDefinition> = [
  ...['en_US', 'en'].map((language): TemplateDefinition => ({
    name: 'hello_world', language, category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      body('Welcome and congratulations! This message shows that sending works.'),
      { type: 'FOOTER', text: 'A sample message' },
    ],
  })),
  ...['en', 'en_US'].map((language): TemplateDefinition => ({
    name: 'order_update', language, category: 'UTILITY', components: [body('Hi {{1}}, your order {{2}} is on its way.')],
  })),
  {
    name: 'welcome', language: 'en', category: 'MARKETING', parameter_format: 'NAMED',
    components: [body('Hello {{first_name}}, {{shop_name}} is glad to have you.')],
  },
  {
    name: 'shipment_photo', language: 'en', category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      body('Your parcel {{1}} was handed over.'),
      buttons({ type: 'URL', text: 'Track it', url: 'https://shop.example/track/{{1}}' }, { type: 'QUICK_REPLY', text: 'Thanks' }),
    ],
  },
  { name: 'login_code', language: 'en', category: 'AUTHENTICATION', components: [body('Your code is {{1}}, for ten minutes.')] },
  { name: 'seasonal_sale', language: 'en', category: 'MARKETING', status: 'PAUSED', components: [body('The sale is on!')] },
  { name: 'old_offer', language: 'en', category: 'MARKETING', status: 'DISABLED', components: [body('An offer of the past.')] },
  { name: 'in_review', language: 'en', category: 'UTILITY', status: 'PENDING', components: [body('Not approved yet.')] },
  {
    name: 'one_time_code', language: 'en', category: 'AUTHENTICATION',
    components: [
      body('*{{1}}* is your verification code. For your security, do not share this code.'),
      { type: 'FOOTER', text: 'This code expires in 10 minutes.' },
      buttons({ type: 'URL', text: 'Copy code', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=10&code=otp{{1}}' }),
    ],
  },
  {
    name: 'store_visit', language: 'en', category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'LOCATION' },
      body('We meet on {{1}} at {{2}}.'),
      buttons({ type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+15550109999' }, { type: 'URL', text: 'The way', url: 'https://shop.example/way' }),
    ],
  },
  { name: 'how_to_video', language: 'en', category: 'UTILITY', components: [{ type: 'HEADER', format: 'VIDEO' }, body('See how to put it together.')] },
  { name: 'invoice', language: 'en', category: 'UTILITY', components: [{ type: 'HEADER', format: 'DOCUMENT' }, body('Here is the invoice {{1}}.')] },
  { name: 'birthday', language: 'en', category: 'MARKETING', components: [{ type: 'HEADER', format: 'GIF' }, body('Happy birthday, {{1}}!')] },
  {
    name: 'survey', language: 'en', category: 'MARKETING', parameter_format: 'NAMED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'A question, {{first_name}}' },
      body('How was {{product}}? It takes a minute, {{first_name}}.'),
      buttons({ type: 'FLOW', text: 'Answer', flow_id: 1_480_001 }),
    ],
  },
  {
    name: 'our_catalog', language: 'en', category: 'MARKETING',
    components: [body('Everything for {{1}}, in one place.'), buttons({ type: 'CATALOG', text: 'View catalog' })],
  },
  {
    name: 'summer_offer', language: 'en', category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon!', has_expiration: true } },
      body('Good news, {{1}}! The code {{2}} saves you 25%.'),
      buttons({ type: 'COPY_CODE', text: 'Copy code' }, { type: 'URL', text: 'Book it', url: 'https://shop.example/offers?code={{1}}' }),
    ],
  },
  {
    name: 'new_arrivals', language: 'en', category: 'MARKETING',
    components: [body('New in the shop, {{1}}:'), { type: 'CAROUSEL', cards: [card('A lamp for {{1}}.'), card('A chair for {{1}}.')] }],
  },
  { name: 'refused_news', language: 'en', category: 'MARKETING', status: 'REJECTED', rejected_reason: 'INVALID_FORMAT', components: [body('News!')] },
]
