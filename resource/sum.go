package resource

import "bytes"

// maxGap is the largest number of empty decimal places between two amounts for
// which their sum is exact.
const maxGap = 1000

// Add returns q + o in q's format, or in o's where q is 0.
//
// The sum is exact, unless the smaller amount begins more than 1,000 decimal
// places below the last digit of the larger. Then the larger is the sum. Such a
// larger amount is above 10^990, beyond every int64 and everything that can be in
// a cluster. Time and memory are linear in the number of digits, the places between
// the two amounts included.
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

// Sub returns q - o in q's format, or in o's if q is 0. It is exact where
// [Quantity.Add] is.
func (q Quantity) Sub(o Quantity) Quantity { return q.Add(o.neg()) }

// neg returns -q in the same format.
func (q Quantity) neg() Quantity {
	q.mant = -q.mant
	return q
}

// addNarrow adds with int64 arithmetic. ok is false if an operand or a result does not fit.
func (q Quantity) addNarrow(o Quantity) (_ Quantity, ok bool) {
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

	// Bring both to the lower exponent. If the product has saturated, dividing it does not
	// give back the factor; if the sum has wrapped, it differs from the saturated sum.
	aligned := MulSat(high.mant, int64(pow10[shift]))
	sum := aligned + low.mant
	if aligned/int64(pow10[shift]) != high.mant || sum != AddSat(aligned, low.mant) {
		return Quantity{}, false
	}
	return narrow(sum < 0, magnitude(sum), int64(low.exp), q.format), true
}

// addWide adds digit by digit. It writes the larger magnitude into a row of digits
// down to the last place of either amount, and adds the smaller one to the row or
// subtracts it there.
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

	// The row begins with a place for a carry.
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
