import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { ACCOUNT_FIELDS, type AccountField, type AccountReport } from '../../core/reports/account.js'
import { ignored, instantOf, isKeepable, type ParseResult } from './parse-result.js'
import { readTemplateChange, TEMPLATE_FIELDS, type TemplateField } from './template-change.js'
import { isObject, propertyOf } from './unknown-json.js'

/** The form of a business account id that a sender can have. */
const ACCOUNT_ID = /^[!-~]{1,64}$/

/**
 * Reads a change that is about a business account: its templates, its numbers, its limits. The entry has the account's id and the moment.
 *
 * What is said of a template's status, quality or category is kept as a notice and changes the template, so it is two reports. The platform names
 * the second only: a change counts from its end, so that it is not taken for older than a list of templates that was read earlier in that second.
 */
export const readAccountReports = (entry: unknown, field: AccountField | TemplateField, value: unknown): ParseResult<AccountReport> => {
  const accountId = propertyOf(entry, 'id')
  if (typeof accountId !== 'string' || !ACCOUNT_ID.test(accountId)) return ignored('no_account_id')
  if (!isObject(value)) return ignored('no_items')
  const at = instantOf(propertyOf(entry, 'time'))
  const change = isTemplateField(field) ? readTemplateChange(field, value) : undefined
  return E.right([
    ...(isAccountField(field)
      ? [{ _tag: 'AccountNotice', accountId, ...(at !== undefined && { at }), field, subject: subjectOf(field, value), value: keptOf(value) } as const]
      : []),
    ...(isTemplateField(field)
      ? [{ _tag: 'TemplateChanged', accountId, ...(at !== undefined && { at: at + SECOND_MS - 1 }), ...(change && { change }) } as const]
      : []),
  ])
}

const ABOUT_ACCOUNT: ReadonlySet<unknown> = new Set(ACCOUNT_FIELDS)
const ABOUT_TEMPLATE: ReadonlySet<unknown> = new Set(TEMPLATE_FIELDS)

/** Whether a field is one whose changes are kept as notices on an account. */
export const isAccountField = (field: unknown): field is AccountField => ABOUT_ACCOUNT.has(field)
/** Whether a field is one whose changes are about a template of an account. */
export const isTemplateField = (field: unknown): field is TemplateField => ABOUT_TEMPLATE.has(field)

/** What of the account a notice is about. An event of the account is a subject of its own, so that a notice on prices does not hide a restriction. */
const subjectOf = (field: AccountField, value: JsonObject): string => {
  switch (field) {
    case 'message_template_status_update': case 'message_template_quality_update': case 'template_category_update':
      return textOf(value, 'message_template_id') || [textOf(value, 'message_template_name'), textOf(value, 'message_template_language')].join(' ').trim()
    case 'phone_number_quality_update': return textOf(value, 'display_phone_number')
    case 'account_update': return textOf(value, 'event')
    case 'business_capability_update': return ''
  }
}

const LONGEST_SUBJECT = 100

/** Printable text of a field that is a string or a number. */
const textOf = (value: JsonObject, name: string): string => {
  const text = propertyOf(value, name)
  return typeof text === 'string' || typeof text === 'number' ? String(text).replace(/[^ -~]/g, '').slice(0, LONGEST_SUBJECT).trim() : ''
}

/** The value whole; of one that is too large, what of it can be shown in one line. */
const keptOf = (value: JsonObject): JsonObject =>
  isKeepable(value)
    ? value
    : { ...Object.fromEntries(SHOWN.flatMap((name) => (textOf(value, name) === '' ? [] : [[name, textOf(value, name)]]))), truncated: true }

const SHOWN = ['event', 'message_template_name', 'message_template_language', 'new_quality_score', 'new_category', 'display_phone_number']
