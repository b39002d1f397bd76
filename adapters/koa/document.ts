import type { FailureTag } from './reply.js'
import {
  type Content, headerRefs, type Parameter, type Response,
} from './openapi-types.js'
import type { Codec, Shape } from './schema.js'

/** The names of failures. */
export const tagsOf = (failures: Readonly<Partial<Record<FailureTag, true>>>): ReadonlyArray<FailureTag> =>
  Object.keys(failures) as ReadonlyArray<FailureTag>

/** The documentation of parameters in the path. */
export const pathParametersOf = (shape: Shape): ReadonlyArray<Parameter> => parametersOf(shape, { in: 'path', required: true })

/** The documentation of parameters in the query. */
export const queryParametersOf = (shape: Shape): ReadonlyArray<Parameter> => parametersOf(shape, { in: 'query' })

const parametersOf = (shape: Shape, where: Pick<Parameter, 'in' | 'required'>): ReadonlyArray<Parameter> =>
  Object.entries(shape).map(([name, { schema }]: readonly [string, Codec<unknown>]) => {
    const { description = '', ...rest } = schema
    return {
      name, ...where, ...(rest.type === 'array' && { explode: false }),
      ...(rest.type === 'object' && { style: 'deepObject', explode: true }), description, schema: rest,
    }
  })

/** The documentation of a reply that is not an `HttpFailure`. */
export const responseOf = (description: string, content: Content): Response => ({ description, headers: headerRefs(), content })

/** The documentation of a JSON body. */
export const jsonContent = <A>({ schema }: Codec<A>, example: NoInfer<A>): Content =>
  ({ 'application/json': { schema, examples: { reply: { value: example } } } })

/** The documentation of a text body. */
export const textContent = (type: string, description: string): Content => ({ [type]: { schema: { type: 'string', description } } })
