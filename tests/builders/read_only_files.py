"""Small files of the formats that are only read, after the descriptions of these formats."""

CHA = """@UTF8
@Begin
@Languages:\teng
@Participants:\tCHI Ross Target_Child, FAT Brian Father
@Media:\twalk, video
*CHI:\tmore cookie . \x151200_2500\x15
%act:\treaches for the
\tjar
*FAT:\tyou want
\tanother one ? \x152500_4100\x15
*CHI:\tyes .
%act:\tnods
@End
"""
RTTM = """;; made by a diarizer
SPKR-INFO walk 1 <NA> <NA> <NA> unknown A <NA>
SPEAKER walk 1 0.5 1.25 <NA> <NA> A <NA> <NA>
SPEAKER walk 1 1.75 0.5 <NA> <NA> B <NA> <NA>
LEXEME walk 1 0.5 0.3 hello lex A <NA>
NON-SPEECH walk 1 3 <NA> <NA> laugh <NA> <NA>
"""
OBSERVER = (
    '"Time_Relative_hms";"Time_Relative_sf";"Duration_sf";"Observation";"Subject";"Behavior";"Modifier_1";'
    '"Event_Type";"Comment"\n'
    '"00:00:01";"1,5";"2,5";"visit 1";"child";"look";"mother";"State start";"first"\n'
    '"00:00:04";"4,0";"0";"visit 1";"child";"look";"mother";"State stop";""\n'
    '"00:00:05";"5,0";"0";"visit 1";"child";"nod";"";"Point";""\n'
    '"00:00:01";"1,0";"";"visit 2";"";"walk";"";"State start";""\n'
    '"00:00:02";"2,25";"";"visit 2";"";"walk";"";"State stop";""\n'
    '"00:00:03";"3,0";"";"visit 2";"";"walk";"";"State start";""\n'
)
INTERACT = (
    "DataGroup\tDataSet\tOnset\tOffset\tDuration\tTranscript\tAffect\tGaze\n"
    "home\tdyad 1\t00:00:01:10\t00:00:02:00\t00:00:00:15\tsmiles first\tpositive\t\n"
    "home\tdyad 1\t00:00:02:00\t00:00:04:24\t00:00:02:24\t\tneutral\tmother\n"
    "home\tdyad 2\t\t\t\t\t\t\n"
)
READ_ONLY_FILES = {"chat": CHA, "rttm": RTTM, "observer": OBSERVER, "interact": INTERACT}
"""Key of a format -> a file of it."""
