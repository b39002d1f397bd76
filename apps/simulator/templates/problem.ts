import { graphError, type GraphError } from '../graph/error.js'

/** Why the platform refuses what fills a template; undefined where it takes it. */
export type Problem = GraphError | undefined

export const mismatched = (slot: string, wanted: string, given: string): GraphError =>
  graphError(132012, `${slot}: Format mismatch, expected ${wanted}, received ${given.toUpperCase()}`)

export const miscounted = (slot: string, given: number, wanted: number): GraphError =>
  graphError(132000, `${slot}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`)

const LONGEST_CODE = 15

/** The error for a code, of authentication or of a coupon, that is longer than the platform takes. */
export const tooLong = (errorCode: number, slot: string, code: string, at: number): Problem =>
  code.length > LONGEST_CODE ? graphError(errorCode, `${slot}: Parameter at index ${at} exceeds the parameter length limit ${LONGEST_CODE}`) : undefined
