// Package spelling answers how close a text is to one that may have been meant.
package spelling

// Distance returns the least number of bytes to change, insert or delete that turns one text into the other
// (Levenshtein). Time is proportional to the product of the lengths.
func Distance(a, b string) int {
	// Before the i-th round row[j] is the distance between the first i bytes of a and the first j of b. The
	// round replaces the row from left to right, and keeps the one old value that the next column needs.
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
