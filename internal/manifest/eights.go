package manifest

import (
	"encoding/binary"
	"math/bits"
)

// Text is looked at eight bytes at a time where most of them say nothing: in strings, and in the
// spaces at the beginning of a line. Each byte of a number that is compared has its highest bit
// set where it is looked for. Bytes above the first one found may be marked without cause.

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// eight returns the eight bytes from a place on, the first as the lowest.
func eight(buf []byte, at int) uint64 { return binary.LittleEndian.Uint64(buf[at:]) }

// zeroes marks the bytes that are 0.
func zeroes(x uint64) uint64 { return (x - eachByte) &^ x & highBits }

// below marks the bytes below a number of at most 128.
func below(x uint64, n uint64) uint64 { return (x - n*eachByte) &^ x & highBits }

// first returns the place of the first mark.
func first(marks uint64) int { return bits.TrailingZeros64(marks) / 8 }

// afterSpaces returns the place of the first byte from one on that is no space.
func afterSpaces(buf []byte, at int) int {
	for ; len(buf)-at >= 8; at += 8 {
		if others := eight(buf, at) ^ ' '*eachByte; others != 0 {
			return at + first(others)
		}
	}
	for at < len(buf) && buf[at] == ' ' {
		at++
	}
	return at
}

// beforeQuote returns the place of the first quote or backslash from a place on, or the length of the text.
func beforeQuote(buf []byte, at int) int {
	for ; len(buf)-at >= 8; at += 8 {
		x := eight(buf, at)
		if marks := zeroes(x^'"'*eachByte) | zeroes(x^'\\'*eachByte); marks != 0 {
			return at + first(marks)
		}
	}
	for at < len(buf) && buf[at] != '"' && buf[at] != '\\' {
		at++
	}
	return at
}

// afterPlain returns the place of the first byte from one on that is a quote, or that a string is not
// read quickly with: a backslash, a control character, or a part of a longer character. It is the
// length of the text if there is none.
func afterPlain(buf []byte, at int) int {
	for ; len(buf)-at >= 8; at += 8 {
		x := eight(buf, at)
		if marks := zeroes(x^'"'*eachByte) | zeroes(x^'\\'*eachByte) | below(x, ' ') | x&highBits; marks != 0 {
			return at + first(marks)
		}
	}
	for at < len(buf) && buf[at] != '"' && buf[at] != '\\' && buf[at]-' ' < 0x80-' ' {
		at++
	}
	return at
}
