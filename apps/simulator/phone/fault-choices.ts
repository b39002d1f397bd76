import type { Settings, SettingsChange } from '../settings.js'

/** A way in which the platform can behave, and the fault that it is; undefined if it works as it should. */
export type FaultChoice = { readonly id: string; readonly label: string; readonly fault: string | undefined }

/** What the business gets for an answer when it sends. */
export const ANSWERS: ReadonlyArray<FaultChoice> = [
  { id: 'usual', label: 'Accepts it', fault: undefined },
  { id: 'throttle', label: 'Throttles: too many messages (130429)', fault: 'refused130429' },
  { id: 'refuse', label: 'Refuses: undeliverable (131026)', fault: 'refused131026' },
  { id: 'hang', label: 'Hangs: takes nothing and never answers', fault: 'hang' },
  { id: 'lose', label: 'Delivers it, and its answer is lost', fault: 'resetAfter' },
  { id: 'slow', label: 'Delivers it, and answers too late', fault: 'late' },
]

/** How the business learns what happened to a message. */
export const STATUSES: ReadonlyArray<FaultChoice> = [
  { id: 'usual', label: 'Come in order', fault: undefined },
  { id: 'late', label: 'Come late: ten times as slow', fault: 'delayed' },
  { id: 'twice', label: 'Come twice', fault: 'duplicateStatuses' },
  { id: 'disorder', label: 'Come out of order', fault: 'deliveredBeforeSent' },
  { id: 'silent', label: 'Never come', fault: 'silent' },
  { id: 'failed', label: 'Say that it failed (131026)', fault: 'failed131026' },
]

/** The settings that make two choices happen always; undefined if one of them is none. */
export const faultsChange = (answer: string, status: string): SettingsChange | undefined => {
  const chosen = [ANSWERS.find(({ id }) => id === answer), STATUSES.find(({ id }) => id === status)]
  if (chosen.includes(undefined)) return undefined
  return { rates: Object.fromEntries(chosen.flatMap((choice) => (choice?.fault === undefined ? [] : [[choice.fault, 1]]))) }
}

/** Which of the choices happens always now; the first one, if none does. */
export const chosenOf = (choices: ReadonlyArray<FaultChoice>, { rates }: Settings): string =>
  choices.find(({ fault }) => fault !== undefined && rates[fault] === 1)?.id ?? 'usual'
