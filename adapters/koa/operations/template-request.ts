import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isDeeperThan, type JsonObject } from '../../../core/json.js'
import type { NewTemplateMessage } from '../../../core/message.js'
import { TemplateName, wellFormed, withoutControls, WrittenCustomerId } from '../codecs.js'
import { array, codec, described, fields, length, literal, named, string, type Codec, type NoFields, type TypeOf } from '../schema.js'
import type { WorkspaceRequest } from '../workspace-operation.js'

const MAX_LANGUAGE_LENGTH = 64

/** How many levels of arrays and objects the components may have. */
const MAX_NESTING = 100

/** A template has a header, a body, ten buttons and a carousel at most, so this limit refuses no template of the platform. */
const MAX_COMPONENTS = 100

/** The text of a component has 1,024 characters at most and a variable takes five of them, so no component has more variables. */
const MAX_PARAMETERS = 256

const PASSED_ON = 'Every other field is passed on untouched.'

const TextParameter = named('TextParameter', described(
  fields({ type: literal('text'), text: string() }), `A variable of the template that is a text. ${PASSED_ON}`,
))

const OtherParameter = named('OtherParameter', described(
  fields({ type: { ...string(), schema: { type: 'string', not: { const: 'text' } } } }),
  `A variable of the template of another type, such as \`currency\` or \`image\`. ${PASSED_ON}`,
))

const TemplateParameter = named('TemplateParameter', codec<unknown>(
  'an object',
  { schema: { oneOf: [TextParameter.schema, OtherParameter.schema] }, definitions: { ...TextParameter.definitions, ...OtherParameter.definitions } },
  (value, context) => (isText(value) ? TextParameter : OtherParameter).validate(value, context),
))

const isText = (value: unknown): boolean => typeof value === 'object' && value !== null && 'type' in value && value.type === 'text'

const TemplateComponent = named('TemplateComponent', described(
  fields({ type: string() }, { parameters: array(TemplateParameter, 'an array of objects', { maxItems: MAX_PARAMETERS }) }),
  `A part of the template, such as its \`header\`, \`body\` or a \`button\`. ${PASSED_ON}`,
))

const checkedComponents = array(TemplateComponent, 'an array of objects', { maxItems: MAX_COMPONENTS })

/** The components are checked and passed on unchanged. */
const Components: Codec<ReadonlyArray<JsonObject>> = described(
  codec(checkedComponents.name, checkedComponents, (value, context) => {
    if (isDeeperThan(MAX_NESTING, value)) return t.failure(value, context, `nested at most ${MAX_NESTING} levels deep`)
    const checked = checkedComponents.validate(value, context)
    return E.isLeft(checked) ? checked : t.success(value as ReadonlyArray<JsonObject>)
  }),
  `What fills the template's variables; passed on untouched. At most ${MAX_COMPONENTS} components of at most ${MAX_PARAMETERS} parameters each, nested at most ${MAX_NESTING} levels deep, and without numbers that lose digits in a double.`,
)

// A name and a language are stored, and not every database stores control characters.
const SendTemplateRequest = named('SendTemplateRequest', described(fields({
  to: WrittenCustomerId,
  template_name: described(TemplateName, 'The exact name of an approved template.'),
}, {
  language: described(
    string(length(MAX_LANGUAGE_LENGTH), wellFormed, withoutControls),
    'The code of the language the template was approved in; passed on exactly as given. `en` where it is left out.',
  ),
  components: Components,
}), 'Unknown fields are ignored.'))

/** The body of a template, to be sent or quoted. */
export const templateBody = {
  codec: SendTemplateRequest,
  forms: false,
  passedOn: 'components',
  examples: {
    plain: { summary: 'A template without variables', value: { to: '+55 11 98765-4321', template_name: 'hello_world', language: 'en_US' } },
    variables: {
      summary: 'A template with two variables',
      value: {
        to: '5511987654321', template_name: 'order_update', language: 'pt_BR',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana' }, { type: 'text', text: '1742' }] }],
      },
    },
    userId: { summary: 'A customer by the user id', value: { to: 'DE.13491208655302741918', template_name: 'hello_world' } },
  },
}

/** A request of a template. */
export type TemplateRequest = WorkspaceRequest<NoFields, TypeOf<typeof SendTemplateRequest>>

/** The template that a request asks for. */
export const templateOf = ({ body: { to, template_name: name, language, components } }: TemplateRequest): NewTemplateMessage =>
  ({ to, name, ...(language !== undefined && { language }), ...(components && { components }) })
