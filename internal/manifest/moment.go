package manifest

import (
	"encoding/json"
	"time"
)

// Moment is a time that is parsed while it is decoded: there are many, and nothing else needs their texts.
type Moment struct {
	time.Time
	// Bad is the text of a Moment that is no time. The caller knows its field, and reports it.
	Bad string
}

// UnmarshalJSON never fails; see Bad. null and the empty text are the zero time.
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
