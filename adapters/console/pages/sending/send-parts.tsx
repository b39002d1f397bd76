import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { closesAt, type FreeForm, isOpen } from '../../../../core/customers/window.js'
import { HOUR_MS, type Instant, MINUTE_MS } from '../../../../core/kernel/time.js'
import { FILE_LIMITS, type FileType, sizeText, STATIC_STICKER_BYTES, wrongSize } from '../../../../core/messages/files.js'
import type { MessageId } from '../../../../core/messages/message.js'
import type { Quote } from '../../../../core/sending/quote.js'
import { isSendable, type TemplateRecord } from '../../../../core/templates/template.js'
import { Icon } from '../../icons.js'
import { writeMoney } from '../../money.js'
import { Behind, ChoiceField, Copied, Facts, Fault, Field, FileField, Id, LinesField, Money, Problem, Tick } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { wordFor } from '../../words.js'
import { areSeveral, byAccount, NumberField, type Numbers } from '../numbers/names.js'
import { Preview } from './preview.js'
import type { Faults, FormField, SendForm, Written } from './send-content.js'
import { type Chosen, kindIn, kindsByName } from './send-form.js'

const { send: texts, numbers: numberTexts } = TEXTS

/** The first step: the recipient and the kind. */
export const Choose = ({ base, numbers, templates, form, faults }: {
  readonly base: string; readonly numbers: Numbers; readonly templates: ReadonlyArray<TemplateRecord>; readonly form: SendForm
  readonly faults: Faults
}): VNode => (
  <form method="post" action={`${base}/send/compose`}>
    <Field
      id="to" label={texts.to} hint={texts.toHint} value={form['to'] ?? ''} maxLength={150} fault={faults['to']}
      isFirst={faults['to'] !== undefined}
    />
    {areSeveral(numbers) && (
      <NumberField
        numbers={numbers} label={numberTexts.from} hint={numberTexts.fromHint} chosen={form['sender']} fault={faults['sender']}
      />
    )}
    <fieldset>
      <legend>{texts.what}</legend>
      <p class="hint">{texts.whatHint}</p>
      <div class="kinds">
        {[...kindsByName()].map(([name, kind]) => (
          <div class="kind" key={name}>
            <input type="radio" id={`what-${name}`} name="what" value={name} checked={kind === kindIn(form)} />
            <label for={`what-${name}`}><Icon name={kind.icon} />{kind.label}</label>
          </div>
        ))}
      </div>
    </fieldset>
    <div class="for-template">
      {byAccount(numbers).length > 1 && (
        <button class="plain follow" formAction={`${base}/send`} formNoValidate>{texts.templatesOf}</button>
      )}
      <ChooseTemplate base={base} templates={templates.filter(isSendable)} chosen={form['template']} fault={faults['template']} />
    </div>
    <button>{texts.next}</button>
  </form>
)

const ChooseTemplate = ({ base, templates, chosen, fault }: {
  readonly base: string
  readonly templates: ReadonlyArray<TemplateRecord>
  readonly chosen: string | undefined
  readonly fault: string | undefined
}): VNode => (
  <>
    {templates.length === 0 ? <p class="soft">{texts.noTemplates} <a href={`${base}/templates`}>{texts.seeTemplates}</a></p> : (
      <ChoiceField id="template" label={texts.template} fault={fault}>
        <option value="">{texts.choose}</option>
        {templates.map(({ name, language }) => {
          const value = `${language} ${name}`
          return <option key={value} value={value} selected={chosen === value}>{`${name} (${language})`}</option>
        })}
      </ChoiceField>
    )}
    {templates.length === 0 && <Fault id="template" sentence={fault} />}
  </>
)

/** The second step: the fields of the message. */
export const Compose = ({ path, from, chosen: { to, form }, typed, lastInbound, now, freeForm, faults }: {
  readonly path: string; readonly from: string | undefined; readonly chosen: Chosen; readonly typed: SendForm
  readonly lastInbound: O.Option<Instant>; readonly now: Instant
  readonly freeForm: FreeForm | undefined; readonly faults: Faults
}): VNode => {
  const windowIsOpen = isOpen(now, lastInbound, freeForm)
  return (
    <>
      <Facts facts={[[texts.to, <code>{to}</code>], ...fromFact(from)]} />
      {windowIsOpen && freeForm !== 'always' && O.isSome(lastInbound) && (
        <p class="note">{texts.windowOpen(timeLeft(closesAt(lastInbound.value) - now))}</p>
      )}
      {!windowIsOpen && form.needsWindow && <p class="note bad">{texts.windowClosed}</p>}
      <form method="post" action={`${path}/check`}>
        <Hidden form={typed} names={FIRST_STEP} />
        {form.pattern !== undefined && <Preview preview={form.pattern} />}
        {form.legend === undefined ? <Fields of={form.fields} typed={typed} faults={faults} /> : (
          <fieldset>
            <legend>{form.legend}</legend>{form.note !== undefined && <p>{form.note}</p>}
            <Fields of={form.fields} typed={typed} faults={faults} />
          </fieldset>
        )}
        <button>{texts.check}</button>
        <button class="plain" formAction={path} formNoValidate>{texts.startAgain}</button>
      </form>
    </>
  )
}

/** The number through which a message goes, if it has to be named. */
const fromFact = (from: string | undefined): ReadonlyArray<readonly [string, string]> =>
  (from === undefined ? [] : [[numberTexts.from, from]])

const timeLeft = (ms: number): string => texts.hoursAndMinutes(Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS))

/** All fields; those that few messages need are behind a line. The first field with a fault has the focus. */
const Fields = ({ of, typed, faults }: {
  readonly of: ReadonlyArray<FormField>
  readonly typed: SendForm
  readonly faults: Faults
}): VNode => {
  const wrong = of.find(({ name }) => faults[name] !== undefined)
  const show = (line: ReadonlyArray<FormField>) => {
    const shown = line.map((field) => (
      <Typed key={field.name} field={field} value={typed[field.name] ?? ''} fault={faults[field.name]} isFirst={field === wrong} />
    ))
    return shown.length > 1 ? <div class="row">{shown}</div> : shown
  }
  const more = of.filter(({ isMore }) => isMore === true)
  const isUsed = more.some(({ name }) => (typed[name] ?? '') !== '' || faults[name] !== undefined)
  return <>
    {linesOf(of.filter((field) => !more.includes(field))).map(show)}
    {more.length > 0 && <Behind title={texts.more} isOpen={isUsed}>{linesOf(more).map(show)}</Behind>}
  </>
}

const linesOf = (fields: ReadonlyArray<FormField>): ReadonlyArray<ReadonlyArray<FormField>> =>
  fields.reduce<ReadonlyArray<ReadonlyArray<FormField>>>(
    (lines, field) => (field.isBeside === true ? [...lines.slice(0, -1), [...lines.at(-1) ?? [], field]] : [...lines, [field]]), [],
  )

const Typed = ({ field, value, fault, isFirst }: {
  readonly field: FormField
  readonly value: string
  readonly fault: string | undefined
  readonly isFirst: boolean
}): VNode => {
  const { name: id, label, hint, isRequired: required, maxLength, isCounted = false } = field
  const asked = { id, label, hint, required, value, fault, isFirst, maxLength, counted: isCounted ? texts.upTo(maxLength) : undefined }
  if (field.input === 'tick') return <Tick id={id} label={label} hint={hint} isTicked={value !== ''} />
  return field.input === 'lines' ? <LinesField {...asked} /> : <Field {...asked} />
}

/** The result of an attempt to send a message. */
export type Tried = {
  readonly problem: string | undefined
  readonly fileFault?: string | undefined
  readonly sentAs: MessageId | undefined
  readonly maySend: boolean
}

/** The third step: the message, its price, its file, and the button. */
export const Check = ({
  path, base, from, chosen: { to, form }, written: { request, file, ...written }, typed, origin, quote, formKey,
  tried: { problem, fileFault, sentAs, maySend },
}: {
  readonly path: string
  readonly base: string
  readonly from: string | undefined
  readonly chosen: Chosen
  readonly written: Written
  readonly typed: SendForm
  readonly origin: string | undefined
  readonly quote: Quote | undefined; readonly formKey: string; readonly tried: Tried
}): VNode => {
  const preview = written.preview ?? quote?.preview
  const names = [...FIRST_STEP, ...form.fields.map(({ name }) => name)].filter((name) => typed[name] !== undefined)
  const change = (
    <button
      class="plain" formAction={`${path}/compose`} {...(file !== undefined && { formEnctype: 'application/x-www-form-urlencoded' })}
      formNoValidate
    >{texts.change}</button>
  )
  const send = maySend && quote !== undefined
    ? <button>{texts.confirm(writeMoney(quote.price.micros, quote.price.currency))}</button>
    : undefined
  return (
    <>
      <Problem sentence={problem} />
      {sentAs !== undefined && <p><a class="button" href={`${base}/messages/${sentAs}`}>{texts.seeMessage}</a></p>}
      {preview !== undefined && <><h2>{texts.preview}</h2><Preview preview={preview} /></>}
      <Facts facts={[
        [texts.to, <code>{to}</code>], ...fromFact(from),
        ...(quote === undefined ? [] : [
          [texts.price, <Money micros={quote.price.micros} currency={quote.price.currency} />],
          [texts.category, wordFor('categories', quote.price.category)],
          ...(quote.price.market === undefined
            ? []
            : [[texts.market, quote.price.market === 'default' ? TEXTS.templates.everyOther : `+${quote.price.market}`] as const]),
          [texts.available, <Money micros={quote.available} currency={quote.price.currency} />],
          [texts.after, <Money micros={quote.available - quote.price.micros} currency={quote.price.currency} />],
        ] as const),
      ]} />
      <form
        method="post" {...(file === undefined ? { action: `${path}/confirm` } : { action: `${path}/file`, encType: 'multipart/form-data' })}
      >
        <Hidden form={typed} names={names} />
        <input type="hidden" name="key" value={formKey} />
        {file !== undefined && send !== undefined && <ChooseFile type={file.type} fault={fileFault} />}
        {send}
        {change}
      </form>
      {request !== undefined && (
        <>
          <h2>{texts.curl}</h2>
          <p class="hint">{texts.curlHint}</p>
          {origin === undefined && <p class="hint">{texts.noAddress}</p>}
          {'form' in request && <p class="hint">{texts.curlFile}</p>}
          <Copied text={curlOf(request, typed['sender'], origin)} label={texts.curl} />
        </>
      )}
    </>
  )
}

/** The file is chosen last, because a page cannot keep a file that was chosen on the previous page. */
const ChooseFile = ({ type, fault }: { readonly type: FileType; readonly fault: string | undefined }): VNode => {
  const { types, maxBytes } = FILE_LIMITS[type]
  const size = type === 'sticker' ? texts.movingSticker(sizeText(STATIC_STICKER_BYTES), sizeText(maxBytes)) : sizeText(maxBytes)
  return (
    <>
      <FileField
        id="file" label={texts.file} hint={texts.fileHint(types?.map(shortType).join(', '), size)} fault={fault}
        isFirst={fault !== undefined} accept={types?.join(',')}
        most={maxBytes} tooLarge={texts.problems.MediaInvalid(wrongSize(type, maxBytes).reason)}
      />
      <p class="note on-its-way" role="status" hidden>{texts.sending}</p>
    </>
  )
}

/** `image/jpeg` in common words. */
const shortType = (type: string): string => type.replace(/^.*\//, '').toUpperCase()

/** An API request as a shell command; the key is a shell variable, and so is an unknown address. */
const curlOf = (request: NonNullable<Written['request']>, sender: string | undefined, origin: string | undefined): string => {
  const path = `/v1/messages/${request.operation}`
  const named = sender ? { sender } : {}
  const body = 'body' in request
    ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify({ ...request.body, ...named }))}`]
    : [
        ...Object.entries({ ...request.form, ...named }).map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
        '-F "file=@$FILE"',
      ]
  return [
    `curl ${origin === undefined ? `"$POSTERN_URL${path}"` : quoted(origin + path)}`, '-H "Authorization: Bearer $POSTERN_KEY"', ...body,
  ].join(' \\\n  ')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The names of the fields of the first step. */
const FIRST_STEP = ['to', 'sender', 'what', 'template']

const Hidden = ({ form, names }: { readonly form: SendForm; readonly names: ReadonlyArray<string> }): VNode =>
  <>{names.map((name) => <input key={name} type="hidden" name={name} value={form[name] ?? ''} />)}</>

/** The last step: a link to the message. */
export const SentPage = ({ base, message }: { readonly base: string; readonly message: MessageId }): VNode => (
  <>
    <p class="note" role="status">{texts.sentSentence}</p>
    <p><Id of={message} isWhole /></p>
    <p>
      <a class="button" href={`${base}/messages/${message}`}>
        {texts.seeMessage}
      </a> <a class="button plain" href={`${base}/send`}>{texts.another}</a>
    </p>
  </>
)
