/**
 * Limits how many sends are under way at once by how fast the platform answers.
 *
 * @packageDocumentation
 */
export {
  makeAdmissionControl, type AdmissionControl, type AdmissionOptions, type AdmissionState, type RefusedWhy,
} from './admission-control.js'
