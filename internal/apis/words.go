package apis

import (
	"slices"
	"strings"
)

// IsWord reports whether a word is empty or one of the known words.
func IsWord[T ~string](word T, known []T) bool { return word == "" || slices.Contains(known, word) }

// NoWord returns the message about a word that is not known. It lists the known words.
func NoWord[T ~string](word T, known []T) string {
	list := make([]string, len(known))
	for i := range known {
		list[i] = string(known[i])
	}

	if len(list) == 2 {
		return Quote(string(word)) + " is neither " + list[0] + " nor " + list[1]
	}
	return Quote(string(word)) + " is none of " + strings.Join(list, ", ")
}
