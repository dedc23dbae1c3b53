package manifest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// cycle is the number of years after which the calendar repeats itself. cycleSeconds is their length in
	// seconds.
	cycle        = 400
	cycleSeconds = (400*365 + 97) * 24 * 3600
	// mostCycles is larger than any number of cycles whose seconds fit into an int64.
	mostCycles = math.MaxInt64/cycleSeconds + 5
)

// ParseTime reads a time as an API server writes it (rule 26.2.2): in the form of RFC 3339. The year may be
// negative or have more than four digits if the time is in UTC.
func ParseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err == nil {
		return t, nil
	}

	digits, rest, found := strings.Cut(strings.TrimPrefix(text, "-"), "-")
	year, wrong := strconv.ParseInt(digits, 10, 64)
	if !found || wrong != nil || len(digits) < 4 || digits[0] == '+' || !strings.HasSuffix(rest, "Z") {
		return time.Time{}, err
	}
	if text[0] == '-' {
		year = -year
	}

	// Package time only reads years of four digits. So the time is read in such a year, a number of whole
	// cycles away.
	like := 2*cycle + (year%cycle+cycle)%cycle
	cycles := (year - like) / cycle
	if t, err = time.Parse(time.RFC3339Nano, fmt.Sprintf("%04d-%s", like, rest)); err != nil {
		return time.Time{}, err
	}
	if cycles < -mostCycles || cycles > mostCycles {
		return time.Time{}, fmt.Errorf("year %d is too far away", year)
	}

	// The sum and the product may wrap around, as they do in FormatTime for such a time.
	return time.Unix(t.Unix()+cycles*cycleSeconds, int64(t.Nanosecond())).UTC(), nil
}

// FormatTime writes a time in UTC, in the form that ParseTime reads. Unlike time.Format it writes any year,
// even if an int has 32 bits.
func FormatTime(t time.Time) string {
	seconds := t.Unix()
	cycles := seconds / cycleSeconds
	if seconds%cycleSeconds < 0 {
		cycles--
	}

	// like is the same time of a year from 1970 to 2369, a number of whole cycles away.
	like := time.Unix(seconds-cycles*cycleSeconds, int64(t.Nanosecond())).UTC()
	year := int64(like.Year()) + cycles*cycle
	rest := like.Format("-01-02T15:04:05.999999999Z")
	if year < 0 {
		return fmt.Sprintf("-%04d%s", -year, rest)
	}
	return fmt.Sprintf("%04d%s", year, rest)
}
