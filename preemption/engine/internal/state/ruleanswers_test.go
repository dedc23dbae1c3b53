package state

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Of more tables than a snapshot keeps, the one that goes is the one that was used longest ago, and not the one that
// was made first.
func TestTheTableUsedLongestAgoGoes(t *testing.T) {
	m := newRuleAnswers()
	use := func(i int) (known bool) {
		key := AnswersKey{Key: fmt.Sprint(i)}
		found, _ := m.find(key)
		if found == nil {
			m.keep(key, &AnswerTable{})
		}
		return found != nil
	}
	for i := range MostTables {
		assert.False(t, use(i))
	}
	assert.True(t, use(0))

	assert.False(t, use(MostTables), "a new one, for which another has to go")
	assert.Len(t, m.Tables, MostTables)
	assert.True(t, use(0), "it was asked for again")
	assert.False(t, use(1), "nobody asked for it since it was made")
}
