/** A format of times with hours of two digits where a day has the hours 00 to 23, as other times of the page. */
export function timeFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const format = new Intl.DateTimeFormat(locale, options);
  return options.hour !== undefined && format.resolvedOptions().hourCycle === "h23"
    ? new Intl.DateTimeFormat(locale, { ...options, hour: "2-digit" })
    : format;
}
