/** The result of one check of `postern doctor`: no fault, or a fault and its remedy. `note` is for the operator to know without a fault; a warning asks for action. */
export type CheckResult = {
  readonly check: string
  readonly fault: string | null
  readonly remedy: string | null
  readonly note?: string
  readonly isWarning?: true
}

/** A check that found no fault. */
export const passed = (check: string, note?: string): CheckResult => ({
  check, fault: null, remedy: null, ...(note !== undefined && { note }),
})

/** A check that found no fault, but something that is or may become one. */
export const warned = (check: string, note: string): CheckResult => ({ ...passed(check, note), isWarning: true })

/** A check that found a fault; neither text ends with a full stop. */
export const failed = (check: string, fault: string, remedy: string): CheckResult => ({ check, fault, remedy })
