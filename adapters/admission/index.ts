/**
 * Limits how many sends are under way at once by how fast the platform answers.
 *
 * @packageDocumentation
 */
export { type AdmissionControl, type AdmissionOptions, type AdmissionState, makeAdmissionControl, type RefusedWhy } from './admission-control.js'
