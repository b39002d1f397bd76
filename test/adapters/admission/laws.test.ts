import { makeAdmissionControl } from '../../../adapters/admission/admission-control.js'
import { admissionLaws } from '../../laws/admission.js'
import { describeLaws } from '../../support/describe-laws.js'

describeLaws('the admission control keeps the law that', admissionLaws, async () => ({
  openAdmission: (limits) => makeAdmissionControl({ maxInFlight: 1, platformTimeoutMs: 10_000, ...limits }),
}))
