/** What one check of `postern doctor` found: no fault, or a fault and what to do about it. `note` is what an operator should know though there is no fault. */
export type CheckResult = { readonly check: string; readonly fault: string | null; readonly remedy: string | null; readonly note?: string }

/** A check that found no fault. */
export const passed = (check: string, note?: string): CheckResult => ({ check, fault: null, remedy: null, ...(note !== undefined && { note }) })

/** A check that found a fault; neither text ends the sentence of the other. */
export const failed = (check: string, fault: string, remedy: string): CheckResult => ({ check, fault, remedy })
