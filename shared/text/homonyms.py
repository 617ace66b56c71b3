"""Names that are ordinary words as well: of people, places, products and months. In lower case they are taken for the words."""

_HOMONYMS = """
    april august may june march summer autumn winter spring dawn eve noel sunday monday friday
    angel archer art ash aspen barber bay bear beau berry bill birch bishop blaze blossom bow brandy breeze brook brooks buck
    bud buddy bunny butch butler cane candy carol carpenter carter case chance charity chase chip chuck clay clement cliff cloud
    colt cook cooper crystal daisy dale dean destiny diamond dick dolly don dot drake drew duke earl earnest ernest
    ebony fair faith falcon farmer fawn felicity fern fisher flora flower ford forest forrest fox frank franks friend frost
    gale garland garnet gay gene gentry ginger glen glenn glory gold grace grant graves gray green grey guy hale harmony harper
    hawk hazel heath heather heaven herb hill holiday holly home honey honor hope horn hunt hunter ice iris ivory ivy jack jade
    jasmine jay jean jet jewel jewels john jolly joy juniper justice karma ken king kit kitty knight lace lake lance lane lark
    laurel law lee liberty light lily lotus love lucky mace major maple marina mark marks marshal marshall martin mason matt
    max maverick mead melody mercy mike mercedes merry miles mills miller mint misty moon moss nance neat neal nick noble norm
    oak ocean olive opal orchid page pansy parker pat patience pearl peach pearce penny pepper piper poet poppy porter posey
    potter power price prince princess prudence queen rain rainbow ralph randy ranger raven ray read red reed reef reese
    rich rick river rivers rob robin rock rocky rod roman rome rose rosemary rowan royal ruby rusty rye sable sage sailor salt
    sandy savanna savannah scarlet scout shade sharp shell shepherd sherry short sierra silver sky skye smith snow sonny spike
    star stark stella sterling stone storm stormy sue sunny swan sweet tailor tanner taylor tad teal temperance terry thorn
    tiger timber tom topaz trace tracy trinity trip trixie true tuck tucker turner tyler unity van vale verity vic victor
    victory viola violet virtue wade walker wallace ward warden warner wayne weaver webb welcome west wilder will wills winner
    wolf wood woods woody wren young zest bob bobby peg peggy tab tate ted tess tim toby tony hank hans harry hart hatch holmes
    abbey ace alba amber ambrose anise april basil bass baron baker barry beck bell belle best biff bliss blue bonny booker
    bath bend chad china chile cologne cork corn dish dover essex essen ghana georgia greece guinea hungary iceland india
    ireland jersey jordan lens lima limerick limestone lille lyon mali malta man mobile nancy nice normal normandy oman orange
    oxford panama paris phoenix plains poland pole poles polish reading rugby sandwich split surrey swiss tempe toledo tours
    turkey ukraine union york buffalo boulder independence
    adobe alphabet amazon amex apple arc asana audible azure basecamp bing block box bolt calm canva chrome cloudflare corona
    cursor dart delta discord docker dove edge elm excel express flask fire firefly flow gap gemini general ghost git go
    gopher hinge hive indeed intel java julia kindle kiwi lime lotus lucid lyft match mars mercury meta mini mint monzo nest
    notes notion office opera oracle outlook peloton perl pixel premier prime puma python quest react rust safari sage scala
    scratch shell signal siri slack snap sonic spark spirit sprint square staples steam stripe subway surface swift target
    teams tide time tinder twist uber unity vanguard venus virgin visa vue wave whatsapp wise wired windows word works zoom
"""

HOMONYMS = frozenset(_HOMONYMS.split())
