package manifest

import (
	"encoding/json"
	"time"
)

// Moment is a time that is parsed while it is decoded, because there are many of
// them and nothing else needs their texts. Bad is the text of an invalid one, for
// the caller, who knows its field.
type Moment struct {
	time.Time
	Bad string
}

// UnmarshalJSON never fails; see Bad. null and the empty text are no time.
func (m *Moment) UnmarshalJSON(text []byte) error {
	*m = Moment{}
	if err := m.Time.UnmarshalJSON(text); err == nil {
		return nil
	}
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
