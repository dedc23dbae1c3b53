package exact

import "slices"

// MostDims is how many shortages have a column. Where there are more, the host is asked about
// every set.
const MostDims = 6

// Row is an amount for each column.
type Row [MostDims]int64

// largestShort keeps sums of amounts from overflowing: the host is asked about more.
const largestShort = 1 << 44

// Question is one search problem. The host fills it in before each search; its memory is that of
// the search.
type Question struct {
	// Items can leave, the most important first.
	Items []Item
	// Dims is how many columns there are, and Short how much of each has to leave, at
	// least 1. AddShort fills in both.
	Dims  int
	Short Row
	// Charges has for each part of the items the budget that it takes from, -1 for none, and
	// Left how many parts each budget has left. The search changes Left and puts it back.
	Charges []int32
	Left    []int64
	// Overlaps is set where a part takes from several budgets. The tables leave it out, and
	// violations are known of whole sets alone.
	Overlaps bool
	// Measures compare sets, the first one first. Strict allows no set with violations.
	Measures []Measure
	Strict   bool
	// SumColumns has for each of the sums that ByTiers goes before 1 + the column that has the
	// same amounts, 0 for none.
	SumColumns [2]int
	// Asked is set where the host is asked about every set, and Coarse where that is because
	// a shortage has no column. Gains: a set that makes room makes room with any more items
	// gone, by the host's answers.
	Asked, Coarse, Gains bool
	// Helps is set where there is room if all items leave.
	Helps bool
	// Limit is the most steps that a search takes, and SlowLimit the same where each takes
	// long: where the host is asked about every set, or a set may be better than one that
	// it contains.
	Limit, SlowLimit int
	// Ended, unless nil, is asked every few hundred steps. The search ends as by its limit
	// where it says so, and says nothing of use.
	Ended func() bool
	// Latest is the latest start of any part.
	Latest Instant
}

// Item leaves as a whole.
type Item struct {
	// From and To are where its parts are among all parts. There is at least one.
	From, To int32
	// Top is what ByTop compares. Start is the earliest start of the parts with that top.
	// Above is set where another part has a higher one, so that the start of a set with the item
	// is not known from the tables.
	Top   int32
	Above bool
	Start Instant
	// Holds is its amount of each column, and no more than the shortage.
	Holds Row
	// Sums are the addends of BySum and BySecondSum, at least 0.
	Sums [2]int64
	// Fixed is how many of its parts violate a budget whichever others leave, beside those
	// that Charges tells of.
	Fixed int64

	shares Row   // Holds as parts of the shortages, rounded up
	share  int64 // their weighted sum
	// always is how many parts violate a budget whichever others leave.
	always int64
}

func (it *Item) parts() int64 { return int64(it.To - it.From) }

// reset empties the question and keeps its memory, but for Left, which the host keeps.
func (q *Question) reset() {
	*q = Question{Items: q.Items[:0], Charges: q.Charges[:0], Measures: q.Measures[:0], Left: q.Left}
}

// AddShort notes a shortage. It is not ok if the shortage has no column: there is none, or it
// is left to the host.
func (q *Question) AddShort(short int64) (column int, ok bool) {
	switch {
	case short <= 0:
	case short >= largestShort || q.Dims == MostDims:
		q.Asked, q.Coarse = true, true
	default:
		q.Short[q.Dims] = short
		q.Dims++
		return q.Dims - 1, true
	}
	return 0, false
}

// Hold adds an amount to what an item holds of a column. A set holds enough if and only if it
// does so with amounts cut to the shortage.
func (q *Question) Hold(it *Item, column int, amount int64) {
	short := q.Short[column]
	it.Holds[column] = min(short, it.Holds[column]+min(short, amount))
}

// wholeShare is the share of a whole shortage.
const wholeShare = 1 << 20

// finishItems computes what follows from the rest of the items.
func (q *Question) finishItems() {
	for i := range q.Items {
		it := &q.Items[i]
		it.always = it.Fixed
		for _, b := range q.Charges[it.From:it.To] {
			if b >= 0 && q.Left[b] <= 0 {
				it.always++
			}
		}
		for k := range q.Dims {
			if it.Holds[k] > 0 {
				it.shares[k] = min(wholeShare, shareOf(it.Holds[k], q.Short[k]))
			}
			it.share += it.shares[k]
		}
	}
}

// shareOf is an amount as a part of a shortage, and no less than that. For a sum of n amounts it
// is less than that of their shares by no more than n.
func shareOf(amount, short int64) int64 {
	return int64(float64(amount)/float64(short)*wholeShare*(1+1e-12)) + 1
}

// known is how much of what sets are compared by the tables tell.
type known struct {
	// top: the top of a set is the highest of its items'. start: the start is that of the
	// items with the highest top, and is compared last.
	top, start bool
	// compared is how many leading measures have a bound, and open is set where there are
	// further ones, so that sets that tie in the former are told apart.
	compared int
	open     bool
	// goesOn: a set may be better than one that it contains.
	goesOn bool
}

// findKnown finds out how far scores have bounds.
func (q *Question) findKnown() known {
	k := known{top: true, start: startLast(q.Measures), compared: len(q.Measures)}
	for i := range q.Items {
		it := &q.Items[i]
		if i > 0 && it.Top > q.Items[i-1].Top {
			k.top = false
		}
		k.start = k.start && !it.Above
	}
	k.start = k.start && k.top
	if start := slices.Index(q.Measures, ByStart); start >= 0 {
		k.compared = start
	}
	if top := slices.Index(q.Measures, ByTop); top >= 0 && !k.top {
		k.compared = min(k.compared, top)
	}
	k.open = k.compared < len(q.Measures) && !k.start
	k.goesOn = !k.top && slices.Contains(q.Measures, ByTop) ||
		!k.start && slices.Contains(q.Measures, ByStart) ||
		q.Overlaps && (q.Strict || slices.Contains(q.Measures, ByViolations))
	return k
}

// startLast reports whether the start is the last measure, or none, and the top comes before
// it.
func startLast(measures []Measure) bool {
	at := slices.Index(measures, ByStart)
	if at < 0 {
		return true
	}
	top := slices.Index(measures, ByTop)
	return top >= 0 && top < at && at == len(measures)-1
}
