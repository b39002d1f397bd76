import { graphError, type GraphError } from '../graph/reply.js'

/** Why the platform refuses the parameters of a template; undefined if it accepts them. */
export type Problem = GraphError | undefined

export const mismatched = (slot: string, wanted: string, given: string): GraphError =>
  graphError(132012, `${slot}: Format mismatch, expected ${wanted}, received ${given.toUpperCase()}`)

export const miscounted = (slot: string, given: number, wanted: number): GraphError =>
  graphError(132000, `${slot}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`)

const LONGEST_CODE = 15

/** The error for a code, of authentication or of a coupon, that is longer than the platform allows. */
export const tooLong = (errorCode: number, slot: string, code: string, at: number): Problem =>
  code.length > LONGEST_CODE
    ? graphError(errorCode, `${slot}: Parameter at index ${at} exceeds the parameter length limit ${LONGEST_CODE}`)
    : undefined

/** A template of the business account as the platform lists it; it is identified by its name and language. */
export type Template = {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly status: TemplateStatus
  readonly category: TemplateCategory
  readonly parameter_format: 'POSITIONAL' | 'NAMED'
  readonly components: ReadonlyArray<TemplateComponent>
  /** The score and since when it holds, in Unix seconds. */
  readonly quality_score: { readonly score: TemplateQuality; readonly date: number }
  readonly rejected_reason: string
}

export const TEMPLATE_STATUSES = [
  'APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL', 'LIMIT_EXCEEDED', 'ARCHIVED', 'PENDING_DELETION', 'DELETED',
] as const

export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number]
export type TemplateCategory = 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
export type TemplateQuality = 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN'

/** A component of a template, in the platform's format. */
export type TemplateComponent =
  | TemplateHeader
  | { readonly type: 'BODY'; readonly text: string }
  | { readonly type: 'FOOTER'; readonly text: string }
  | { readonly type: 'BUTTONS'; readonly buttons: ReadonlyArray<TemplateButton> }
  | { readonly type: 'LIMITED_TIME_OFFER'; readonly limited_time_offer: { readonly text: string; readonly has_expiration?: boolean } }
  | { readonly type: 'CAROUSEL'; readonly cards: ReadonlyArray<TemplateCard> }

export type TemplateHeader =
  | { readonly type: 'HEADER'; readonly format: 'TEXT'; readonly text: string }
  | { readonly type: 'HEADER'; readonly format: 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'GIF' | 'LOCATION' }

/** A card of a carousel: a header, perhaps a body and buttons. */
export type TemplateCard = { readonly components: ReadonlyArray<TemplateComponent> }

/** The platform lists the button for a one-time password as a `URL` whose address ends in the code; `OTP` is the type with which it is created. */
export type TemplateButton =
  | { readonly type: 'URL'; readonly text: string; readonly url: string }
  | { readonly type: 'OTP'; readonly text: string; readonly otp_type: string }
  | { readonly type: 'PHONE_NUMBER'; readonly text: string; readonly phone_number: string }
  | { readonly type: 'QUICK_REPLY' | 'COPY_CODE' | 'CATALOG' | 'MPM'; readonly text: string }
  | { readonly type: 'FLOW'; readonly text: string; readonly flow_id: string | number }

/** A template as given in an option or a control request; approved and positional by default. */
export type TemplateDefinition = Pick<
  Template, 'name' | 'language' | 'category' | 'components'
> & Partial<Omit<Template, 'id' | 'quality_score'>> & {
  readonly quality?: TemplateQuality
}

/** The component of one type; a template and a card have at most one of each. */
export const partOf = <Type extends TemplateComponent['type']>(
  components: ReadonlyArray<TemplateComponent>, type: Type,
): Extract<TemplateComponent, { readonly type: Type }> | undefined =>
  components.find((part): part is Extract<TemplateComponent, { readonly type: Type }> => part.type === type)

/** The distinct variables of a text, `{{1}}` or `{{first_name}}`, in the order they appear. */
export const placeholdersOf = (text: string): ReadonlyArray<string> =>
  [...new Set([...text.matchAll(/\{\{\s*([a-z0-9_]+)\s*\}\}/g)].map(([, name]) => name ?? ''))]
