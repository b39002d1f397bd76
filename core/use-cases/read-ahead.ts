import type { Ahead, ReadAheadDeps, ReadFor } from './prepare.js'
import { readForTemplate, type TemplateReads } from './prepare-template.js'
import { readForText, type TextReads } from './prepare-text.js'

/** Begins the reads of a send at once. What they find is judged by the send itself. */
export type ReadAhead = {
  /** Begins the reads of a text. */
  readonly text: (text: ReadFor) => Ahead<TextReads>
  /** Begins the reads of a template. */
  readonly template: (template: Required<ReadFor>) => Ahead<TemplateReads>
}

/** Makes what begins the reads of a send. */
export const makeReadAhead = (deps: ReadAheadDeps): ReadAhead => ({
  text: (text) => ({ for: text, reads: readForText(deps, text) }),
  template: (template) => ({ for: template, reads: readForTemplate(deps, template) }),
})
