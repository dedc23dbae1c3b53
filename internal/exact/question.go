package exact

import "slices"

// MostDims is how many shortages can have a column. Where there are more, the host is asked about
// every set.
const MostDims = 6

// Row is an amount for each column.
type Row [MostDims]int64

// largestShort bounds the shortages that have a column, so that sums of amounts do not overflow. The host is asked
// about larger ones.
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
	// SumColumns has a column for each of the sums that follow ByTiers: 1 + the index of the column that has
	// the amounts of the sum, 0 for none.
	SumColumns [2]int
	// Asked is set where the host is asked about every set, and Coarse where that is because
	// a shortage has no column.
	Asked, Coarse bool
	// Gains is set where a set that makes room, by the host's answers, makes room with any more items gone.
	Gains bool
	// Helps is set where there is room if all items leave.
	Helps bool
	// Limit is the most steps that a search takes. SlowLimit takes its place where each step takes
	// long: where the host is asked about every set, or where a set may be better than one that
	// it contains.
	Limit, SlowLimit int
	// Ended is asked every few hundred steps, unless it is nil. Once it returns true the search ends as by its
	// limit, and its result is of no use.
	Ended func() bool
	// Latest is the latest start of any part.
	Latest Instant
}

// Item leaves as a whole.
type Item struct {
	// From and To say which of all parts are its own: those from From up to To, at least one.
	From, To int32
	// Top is the value that ByTop compares. Above is set where another part has a higher top, so that the start
	// of a set with the item is not known from the tables.
	Top   int32
	Above bool
	// Start is the earliest start of the parts with that top.
	Start Instant
	// Holds is its amount of each column, and no more than the shortage.
	Holds Row
	// Sums are the addends of BySum and BySecondSum, at least 0.
	Sums [2]int64
	// Fixed is how many of its parts violate a budget whichever others leave, beside those
	// that Charges and Left show.
	Fixed int64

	shares Row   // Holds as parts of the shortages, rounded up
	share  int64 // their weighted sum
	// always is how many parts violate a budget whichever others leave, Fixed included.
	always int64
}

// parts returns how many parts the item has.
func (it *Item) parts() int64 { return int64(it.To - it.From) }

// reset empties the question and keeps its memory. Left stays, because the host fills it in and keeps it.
func (q *Question) reset() {
	*q = Question{Items: q.Items[:0], Charges: q.Charges[:0], Measures: q.Measures[:0], Left: q.Left}
}

// AddShort adds a shortage and returns its column. It is not ok if the shortage has no column, because nothing is
// short or because the host is asked about it.
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

// Hold adds an amount to what an item holds of a column. Amounts are cut to the shortage: a set holds enough if and
// only if it does so with amounts like that.
func (q *Question) Hold(it *Item, column int, amount int64) {
	short := q.Short[column]
	it.Holds[column] = min(short, it.Holds[column]+min(short, amount))
}

// wholeShare is the share of a whole shortage.
const wholeShare = 1 << 20

// finishItems sets the fields of the items that follow from the others.
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

// shareOf returns an amount as a part of a shortage, rounded up. So the shares of n amounts add up to no less than
// the share of their sum, and to less than n more.
func shareOf(amount, short int64) int64 {
	return int64(float64(amount)/float64(short)*wholeShare*(1+1e-12)) + 1
}

// known says which measures the tables can tell.
type known struct {
	// top is set where the top of a set is the highest of its items'.
	top bool
	// start is set where the start of a set is that of its items with the highest top, and is compared last.
	start bool
	// compared is how many leading measures have a bound. open is set where others follow, which tell sets apart
	// that tie in these.
	compared int
	open     bool
	// goesOn is set where a set may be better than one that it contains.
	goesOn bool
}

// findKnown finds out how far scores have bounds.
func (q *Question) findKnown() known {
	// ByTop compares the top of the first item, which is the highest as long as tops never rise.
	k := known{top: true, start: startLast(q.Measures), compared: len(q.Measures)}
	for i := range q.Items {
		it := &q.Items[i]
		if i > 0 && it.Top > q.Items[i-1].Top {
			k.top = false
		}
		k.start = k.start && !it.Above
	}
	k.start = k.start && k.top

	// Bounds end before the start, which no table has, and before a top that the tables do not know.
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

// startLast reports whether the start is no measure, or is the last one with the top before it.
func startLast(measures []Measure) bool {
	at := slices.Index(measures, ByStart)
	if at < 0 {
		return true
	}
	top := slices.Index(measures, ByTop)
	return top >= 0 && top < at && at == len(measures)-1
}
