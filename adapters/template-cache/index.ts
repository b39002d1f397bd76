/**
 * A cache of what a catalogue of templates finds, so that a send costs no query for its template.
 *
 * @packageDocumentation
 */
export { makeTemplateCache, type TemplateCacheOptions } from './template-cache.js'
