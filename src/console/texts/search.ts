export const search = {
  title: 'Search',
  placeholder: 'Name, amount…',
  label: 'Search by name, amount or number',
  results: (text: string) => `Matches for “${text}”.`,
  help: 'Type the beginning of a last name, or first and last name. Or type a whole phone number, email address, chart number, reference or receipt number. Write an amount as $125 or 125.00.',
  digits: 'The last four digits of a card or account find its payments.',
  none: 'Nothing matches',
  noPayments: 'No payment matches.',
  allLinks: 'Show all these links',
  allPayments: 'Show all these payments',
  isCut: 'There are more matches than a search reads, so some may be missing. Type more of the name.',
} satisfies Record<string, string | ((text: string) => string)>;
