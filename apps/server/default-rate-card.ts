/**
 * The built-in rate card, in the form of a rate card's file.
 *
 * What WhatsApp bills per delivered message from 1 October 2026, for the markets whose rates could be confirmed; any other
 * number falls back to the rate of the region "Other". Rates change each quarter, so an operator loads a card of one's own:
 * <https://developers.facebook.com/docs/whatsapp/pricing>.
 */
export const DEFAULT_RATE_CARD = {
  currency: 'USD',
  effective: '2026-10-01',
  default: { service: '0.0077', marketing: '0.0625', utility: '0.0077', authentication: '0.0077' },
  markets: {
    '55': { service: '0.0068', marketing: '0.0625', utility: '0.0068', authentication: '0.0068' },
    '33': { service: '0.0300', marketing: '0.0859', utility: '0.0300', authentication: '0.0300' },
    '995': { service: '0.0212', marketing: '0.0860', utility: '0.0212', authentication: '0.0212' },
  },
  template_category: 'marketing',
}
