import * as E from 'fp-ts/lib/Either.js'
import type { TemplateSource, TemplateSourceError } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'

/** A platform that lists templates; a test sets what it lists, or how it fails, and sees which names were asked for. */
export const templatePlatform = (first: ReadonlyArray<Template> | TemplateSourceError = []) => {
  let answer: ReadonlyArray<Template> | TemplateSourceError = first
  let gate = Promise.resolve()
  const asked: Array<string | undefined> = []
  const source: TemplateSource = {
    list: async (_account, name) => {
      asked.push(name)
      const given = answer
      await gate
      return '_tag' in given ? E.left(given) : E.right(given.filter((template) => name === undefined || template.name === name))
    },
  }
  return {
    source, asked,
    willList: (next: ReadonlyArray<Template> | TemplateSourceError) => { answer = next },
    /** Delays every answer until the returned function is called. */
    hold: (): (() => void) => {
      let release = (): void => {}
      gate = new Promise((resolve) => { release = resolve })
      return release
    },
  }
}
