import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { DAY_MS, type Instant } from '../../../core/kernel/time.js'
import {
  MAX_RESULTS_MS, periodFault, RESULTS_CSV_HEADER, resultsCsvLines, type ResultWidth, type TemplateFiguresView, templateResultsView,
  type TemplateResultsView,
} from '../../../core/templates/results.js'
import { Amount, Currency, Moment, TemplateName, Time } from '../codecs.js'
import { jsonContent, textContent } from '../document.js'
import { headerRefs } from '../openapi-types.js'
import { keyedOperation, served, type UseCases, type WorkspaceRequest } from '../operation.js'
import { type InvalidParameter, jsonReply, missingThing, type NotFound, type Reply } from '../reply.js'
import { array, type Codec, count, described, named, nullable, record, string, word } from '../schema.js'
import { Language } from './send.js'

const FIGURES = {
  sent: described(count, 'The messages that the platform accepted, including those that failed later. Refused messages do not count.'),
  delivered: described(count, 'Those that were delivered, including those that were read.'),
  read: described(count, 'Those that were read. Customers can switch off read receipts.'),
  failed: described(count, 'Those that failed after the platform had accepted them.'),
  replied: described(count, 'Those whose customer wrote to the same sender within 24 hours after the message was sent. A reply counts for the latest template message before it.'),
  opted_out: described(count, 'Those whose customer stopped marketing or every message within 24 hours after the message was sent. An opt-out counts for the latest template message before it.'),
  price: described(Amount, 'What they cost; failed messages cost nothing.'),
  price_per_reply: nullable(Amount, '`price` divided by `replied`; null without replies.'),
}

const Figures: Codec<TemplateFiguresView> = named('TemplateFigures', described(record(FIGURES), 'What messages of a template achieved.'))

const Part = named('TemplateResultsPart', described(
  record({ from: Time, to: described(Time, 'The end, which is not included.'), ...FIGURES }), 'A day or a week of the results.',
))

const Width: Codec<ResultWidth> = named('ResultWidth', word<ResultWidth>({
  day: 'a day of UTC', week: 'a week, which begins on Monday at midnight UTC',
}))

const Results: Codec<TemplateResultsView> = named('TemplateResults', described(record({
  template: string(), language: nullable(string(), 'Null for every language.'), from: Time, to: Time, by: Width, currency: Currency,
  total: Figures,
  parts: described(array(Part), 'Oldest first, including parts without messages. The first and the last part may be shorter.'),
}), 'What a template achieved.'))

type Format = 'json' | 'csv'

const FormatWord = word<Format>({ json: 'this object', csv: 'a file of comma-separated values with a line for each part' })

/** The period if none is given, up to now. */
const LAST_MS = 28 * DAY_MS

const MAX_DAYS = MAX_RESULTS_MS / DAY_MS

const SAMPLE: TemplateFiguresView = {
  sent: 1_820, delivered: 1_771, read: 1_418, failed: 49, replied: 255, opted_out: 2, price: '74.378500', price_per_reply: '0.291680',
}

const EXAMPLE: TemplateResultsView = {
  template: 'appointment_reminder', language: null, from: '2026-03-02T00:00:00.000Z', to: '2026-03-09T00:00:00.000Z', by: 'week',
  currency: 'USD', total: SAMPLE,
  parts: [{ from: '2026-03-02T00:00:00.000Z', to: '2026-03-09T00:00:00.000Z', ...SAMPLE }],
}

type Query = {
  readonly language?: string; readonly from?: Instant; readonly to?: Instant; readonly by?: ResultWidth; readonly format?: Format
}

/** `GET /templates/{name}/results` */
export const getTemplateResults = keyedOperation({
  id: 'getTemplateResults',
  method: 'get',
  path: '/templates/{name}/results',
  part: 'templateResults',
  tag: 'Reading',
  act: 'message.view',
  isList: true,
  summary: 'Read what a template achieves',
  description:
    'The messages of a template that were opened in a period, by their present state: how many were sent, delivered, read, answered and followed by an opt-out, and what they cost. '
      + 'A name that was never sent has zeros. Replies are counted since the gateway has this operation. Messages to an erased person stay counted; an opt-out of an erased person no longer is.',
  pathParameters: { name: described(TemplateName, 'The exact name of the template.', 'appointment_reminder') },
  query: {
    language: described(Language, 'Only messages in this language; every language if omitted.'),
    from: described(Moment, 'The beginning of the period; 28 days before its end if omitted.'),
    to: described(Moment, `The end of the period, which is not included; now if omitted. A period has at most ${MAX_DAYS} days.`),
    by: described(Width, 'The width of the parts; `day` if omitted.'),
    format: described(FormatWord, 'The form of the reply; `json` if omitted.'),
  },
  replies: {
    200: {
      description: 'The results.', headers: headerRefs('Content-Disposition'),
      content: { ...jsonContent(Results, EXAMPLE), ...textContent('text/csv', 'A line for each part, after a line with the names of the columns.') },
    },
  },
  definitions: Results.definitions,
  failures: { NotFound: true, InvalidParameter: true },
  run: async (
    { postern: { templates, clock } }: UseCases, { workspace, parameters }: WorkspaceRequest<{ readonly name: string } & Query>,
  ): Promise<E.Either<InvalidParameter | NotFound | PortFailure, Reply>> => {
    const { name: template, language, to = clock.now(), from = to - LAST_MS, by = 'day', format = 'json' } = parameters
    const query = { template, language, from, to, by }
    const fault = periodFault(query)
    if (fault !== undefined) return E.left({ _tag: 'InvalidParameter', sentence: SENTENCES[fault] })
    const shown = await served(served(templates).showResults)(workspace, query)
    if (E.isLeft(shown)) return shown
    if (O.isNone(shown.right)) return E.left(missingThing('This workspace has no wallet'))
    const view = templateResultsView(query, shown.right.value)
    return E.right(format === 'csv' ? csvReply(view) : jsonReply(200, view))
  },
})

const SENTENCES = {
  empty: '"from" must be before "to"', too_long: `"from" and "to" must be at most ${MAX_DAYS} days apart; choose a shorter period`,
}

const csvReply = (view: TemplateResultsView): Reply => ({
  status: 200, body: [RESULTS_CSV_HEADER, ...resultsCsvLines(view)].join(''),
  headers: { 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Content-Disposition': 'attachment' },
})
