package manifest

import (
	"encoding/json"
	"time"
)

// Moment is a time that is parsed while it is decoded, so that the texts of the many times need not be kept.
type Moment struct {
	time.Time
	// Bad is the text if it is no time, else empty. The caller knows the field, and reports it.
	Bad string
}

// UnmarshalJSON never returns an error; see Bad. It reads null and the empty text as the zero time.
func (m *Moment) UnmarshalJSON(text []byte) error {
	*m = Moment{}
	if err := m.Time.UnmarshalJSON(text); err == nil {
		return nil
	}

	// Package time does not read every year that an API server writes (rule 26.2.2).
	var plain string
	if err := json.Unmarshal(text, &plain); err != nil {
		plain = string(text)
	}
	if plain == "" {
		return nil
	}
	var err error
	if m.Time, err = ParseTime(plain); err != nil {
		*m = Moment{Bad: plain}
	}
	return nil
}
