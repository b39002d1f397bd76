import type { Event } from '../../core/event.js'

/** The subject of an event. Characters of a workspace's id that mean something in a subject are replaced; the ids that this package makes have none. */
export const subjectOf = ({ workspace, type }: Pick<Event, 'workspace' | 'type'>): string => `postern.${workspace.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.${type}`
