import { previewOf } from '../../core/templates/parts.js'
import { type Placeholder, placeholdersOf, type TemplateRecord } from '../../core/templates/template.js'
import { printable } from '../operator/summary.js'
import { iso } from './output.js'

/** A template for people: what is known of it, its texts, and what a send fills. */
export const templateLines = (template: TemplateRecord): ReadonlyArray<string> => {
  const { header, body, footer, buttons } = previewOf(template, undefined)
  return [
    `${printable(template.name)} in ${printable(template.language)}`,
    ...titled('id', template.id),
    ...titled('category', template.category),
    ...titled('status', template.status),
    ...titled('quality', template.quality ?? '-'),
    ...titled('read at', iso(template.listedAt)),
    ...titled('header', header), ...titled('body', body), ...titled('footer', footer),
    ...buttons.flatMap((button, index) => titled(`button ${index}`, button)),
    ...titled('to fill', placesOf(template)),
  ]
}

const titled = (title: string, text: string | undefined): ReadonlyArray<string> =>
  (text === undefined || text === '' ? [] : text.split(/\r\n|\r|\n/)).map((line, n) => `  ${(n === 0 ? title : '').padEnd(9)}  ${printable(line)}`.trimEnd())

const placesOf = (template: TemplateRecord): string => {
  const places = placeholdersOf(template)
  if (places === undefined) return 'not known, since the components could not be read'
  return places.length === 0 ? 'nothing' : places.map(placeWords).join('\n')
}

const placeWords = ({ component, type, index, name, button, card, optional }: Placeholder): string => {
  const where = [card === undefined ? '' : `card ${card}`, component.replaceAll('_', ' '), button ?? '', name ?? index ?? ''].filter((word) => word !== '')
  return `${where.join(' ')} (${type}${optional === true ? ', may be left out' : ''})`
}
