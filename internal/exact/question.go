package exact

import "slices"

// MostDims is the largest number of shortages that have a column. If there are more, the host is asked about
// every set.
const MostDims = 6

// Row has an amount for each column.
type Row [MostDims]int64

// largestShort is above every shortage that has a column, so that sums of amounts do not overflow. The host is
// asked about larger shortages.
const largestShort = 1 << 44

// Question is one search problem. The host fills it in before each search. It is part of the [Search], which
// uses its memory again.
type Question struct {
	// Items can leave, the most important first.
	Items []Item
	// Dims is the number of columns. Short is how much of each column has to leave, at
	// least 1. AddShort fills in both.
	Dims  int
	Short Row
	// Charges has for each part of the items the budget that it takes from, -1 for none. Left has how many
	// parts each budget still allows. The search changes Left and restores it.
	Charges []int32
	Left    []int64
	// Overlaps says that some part takes from several budgets. Charges leave such parts out, so the
	// violations of a set are only known from Host.Score.
	Overlaps bool
	// Measures compare sets, one after the other. With Strict no set with violations is allowed.
	Measures []Measure
	Strict   bool
	// SumColumns has, for each of the two sums, 1 + the index of the column that holds the same amounts as the
	// sum, and 0 if there is none. Only a search by tiers uses it.
	SumColumns [2]int
	// Asked says that the host is asked about every set. Coarse says that this is so because a
	// shortage has no column.
	Asked, Coarse bool
	// Gains says that if a set makes room by the host's answers, so does every larger set that contains it.
	Gains bool
	// Helps says that there is room if all items leave.
	Helps bool
	// Limit is the largest number of steps of a search. SlowLimit replaces it if steps are slow or many: if the
	// host is asked about every set, or if a set may be better than one that it contains.
	Limit, SlowLimit int
	// Ended, unless it is nil, is called every few hundred steps. Once it returns true the search ends as if it
	// had reached its limit, and its result must not be used.
	Ended func() bool
	// Latest is the latest start of any part.
	Latest Instant
}

// Item is something that can leave, as a whole.
type Item struct {
	// From and To are the range of the item's parts among all parts, To excluded. There is at least one.
	From, To int32
	// Top is the value that ByTop compares. Above says that some part of the item has a higher top, so that the
	// start of a set with the item cannot be told from the tables.
	Top   int32
	Above bool
	// Start is the earliest start of the item's parts with the top Top.
	Start Instant
	// Holds is the item's amount of each column, cut to the shortage.
	Holds Row
	// Sums are the addends of BySum and BySecondSum, at least 0.
	Sums [2]int64
	// Fixed counts the item's parts that violate a budget whichever others leave, and that Charges and Left
	// do not show.
	Fixed int64

	shares Row   // Holds as fractions of the shortages, in units of 1/wholeShare, rounded up
	share  int64 // the weighted sum of shares
	// always counts the item's parts that violate a budget whichever others leave, with Fixed.
	always int64
}

// parts returns the number of the item's parts.
func (it *Item) parts() int64 { return int64(it.To - it.From) }

// reset empties the question and keeps its memory. Left stays, because the host keeps it from question to
// question.
func (q *Question) reset() {
	*q = Question{Items: q.Items[:0], Charges: q.Charges[:0], Measures: q.Measures[:0], Left: q.Left}
}

// AddShort adds a shortage and returns its column. ok is false if the shortage gets no column, because it is
// not above 0 or because the host will be asked about it.
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

// Hold adds an amount to an item's amount of a column. Amounts are cut to the shortage, which does not change
// whether a set holds enough.
func (q *Question) Hold(it *Item, column int, amount int64) {
	short := q.Short[column]
	it.Holds[column] = min(short, it.Holds[column]+min(short, amount))
}

// wholeShare is the share that stands for a whole shortage.
const wholeShare = 1 << 20

// finishItems sets always, shares and share of all items, which follow from their other fields.
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

// shareOf returns an amount as a fraction of a shortage, rounded up. So the shares of n amounts add up to no
// less than the share of their sum, and exceed it by less than n.
func shareOf(amount, short int64) int64 {
	return int64(float64(amount)/float64(short)*wholeShare*(1+1e-12)) + 1
}

// known says which measures can be bounded from the tables.
type known struct {
	// top says that the top of a set is the highest top of its items.
	top bool
	// start says that the start of a set follows from its items with the highest top, and that it is compared
	// last or not at all.
	start bool
	// compared is the number of leading measures that have a bound. open says that other measures follow, which
	// may still tell two sets apart that tie in the compared ones.
	compared int
	open     bool
	// goesOn says that a set may be better than a smaller set that it contains.
	goesOn bool
}

// findKnown finds out which measures of this question have bounds.
func (q *Question) findKnown() known {
	// ByTop compares the top of the first item, which is the highest one if tops never rise from item to item.
	k := known{top: true, start: startLast(q.Measures), compared: len(q.Measures)}
	for i := range q.Items {
		it := &q.Items[i]
		if i > 0 && it.Top > q.Items[i-1].Top {
			k.top = false
		}
		k.start = k.start && !it.Above
	}
	k.start = k.start && k.top

	// Bounds end before ByStart, which has no table, and before ByTop if the top of a set is not known.
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

// startLast reports whether ByStart is not among the measures, or is the last one and comes after ByTop.
func startLast(measures []Measure) bool {
	at := slices.Index(measures, ByStart)
	if at < 0 {
		return true
	}
	top := slices.Index(measures, ByTop)
	return top >= 0 && top < at && at == len(measures)-1
}
