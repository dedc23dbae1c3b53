package resource

import "bytes"

// maxGap is the largest number of empty decimal places between two amounts for
// which their sum is exact.
const maxGap = 1000

// Add returns q + o in q's format, or in o's where q is 0.
//
// The sum is exact unless the smaller amount begins more than 1,000 decimal
// places below the last digit of the larger: then the larger is the sum. Such a
// larger amount is above 10^990, out of the reach of every int64 and of
// everything that can be in a cluster. Time and memory are linear in the
// number of digits, and constant where both amounts have at most 18.
func (q Quantity) Add(o Quantity) Quantity {
	switch {
	case q.IsZero():
		return o
	case o.IsZero():
		return q
	}
	if sum, ok := q.addNarrow(o); ok {
		return sum
	}
	return q.addWide(o)
}

// Sub returns q - o in q's format, or in o's if q is 0. It is exact within the
// bounds of [Quantity.Add].
func (q Quantity) Sub(o Quantity) Quantity { return q.Add(o.neg()) }

// neg returns -q in the same format.
func (q Quantity) neg() Quantity {
	q.mant = -q.mant
	return q
}

// addNarrow adds in int64 where everything fits.
func (q Quantity) addNarrow(o Quantity) (Quantity, bool) {
	if q.wide != nil || o.wide != nil {
		return Quantity{}, false
	}
	low, high := q, o
	if low.exp > high.exp {
		low, high = high, low
	}
	shift := int64(high.exp) - int64(low.exp)
	if shift > 18 {
		return Quantity{}, false
	}
	aligned := MulSat(high.mant, int64(pow10[shift]))
	sum := aligned + low.mant
	if aligned/int64(pow10[shift]) != high.mant || sum != AddSat(aligned, low.mant) {
		return Quantity{}, false
	}
	return narrow(sum < 0, magnitude(sum), int64(low.exp), q.format), true
}

// addWide adds digit by digit: the larger magnitude is laid out in a row of
// its own, down to the last place of either, and the smaller is added to it or
// taken from it there.
func (q Quantity) addWide(o Quantity) Quantity {
	large, small := q, o
	if large.cmpMagnitude(small) < 0 {
		large, small = small, large
	}
	var buf [2][20]byte
	ld, sd := large.digits(buf[0][:0]), small.digits(buf[1][:0])
	lexp, sexp := int64(large.exp), int64(small.exp)
	if lexp-(sexp+int64(len(sd))) > maxGap {
		large.format = q.format
		return large
	}
	last := min(lexp, sexp)
	row := digits(bytes.Repeat([]byte{'0'}, 1+len(ld)+int(lexp-last)))
	copy(row[1:], ld)
	if large.Sign() == small.Sign() {
		row.add(sd, int(sexp-last))
	} else {
		row.sub(sd, int(sexp-last))
	}
	return fromDigits(large.Sign() < 0, row, last, q.format)
}
