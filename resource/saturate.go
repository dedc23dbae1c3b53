package resource

import (
	"math"
	"math/bits"
)

// AddSat returns a + b, or the nearest int64 if the sum does not fit.
func AddSat(a, b int64) int64 {
	sum := a + b
	switch {
	case b > 0 && sum < a:
		return math.MaxInt64
	case b < 0 && sum > a:
		return math.MinInt64
	}
	return sum
}

// SubSat returns a - b, or the nearest int64 if the difference does not fit.
func SubSat(a, b int64) int64 {
	diff := a - b
	switch {
	case b < 0 && diff < a:
		return math.MaxInt64
	case b > 0 && diff > a:
		return math.MinInt64
	}
	return diff
}

// MulSat returns a × b, or the nearest int64 if the product does not fit.
func MulSat(a, b int64) int64 {
	high, low := bits.Mul64(magnitude(a), magnitude(b))

	// A product of more than 64 bits saturates, so any large magnitude will do.
	if high != 0 {
		low = math.MaxUint64
	}
	return signed((a < 0) != (b < 0), low)
}

// magnitude returns |v|, which for the lowest int64 is 2^63.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// signed returns ±mag, or the nearest int64 if that does not fit.
func signed(negative bool, mag uint64) int64 {
	switch {
	case negative && mag >= 1<<63:
		return math.MinInt64
	case negative:
		return -int64(mag)
	case mag > math.MaxInt64:
		return math.MaxInt64
	}
	return int64(mag)
}
