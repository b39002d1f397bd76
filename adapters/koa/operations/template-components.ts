import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isDeeperThan, type JsonObject } from '../../../core/kernel/json.js'
import { array, codec, type Codec, described, fields, literal, named, string } from '../schema.js'

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

/** The components of a template, which are checked and passed on unchanged. */
export const Components: Codec<ReadonlyArray<JsonObject>> = described(
  codec(checkedComponents.name, checkedComponents, (value, context) => {
    if (isDeeperThan(MAX_NESTING, value)) return t.failure(value, context, `nested at most ${MAX_NESTING} levels deep`)
    const checked = checkedComponents.validate(value, context)
    return E.isLeft(checked) ? checked : t.success(value as ReadonlyArray<JsonObject>)
  }),
  `What fills the template's variables; passed on untouched. At most ${MAX_COMPONENTS} components of at most ${MAX_PARAMETERS} parameters each, nested at most ${MAX_NESTING} levels deep, and without numbers that lose digits in a double.`,
)
