"""Names that are ordinary words as well: of people, places, products and months. In lower case they are taken for the words."""

_HOMONYMS = """
    abbey abbot access ace adobe alphabet amazon amber angel apple apricot april arc archer art ash aspen audible august autumn
    baker bandit bank banks barber baron basil bass bath battle bay bean beans bear beau bee beetle bell belle bend berry best
    bill bing birch biscuit bishop black blade blaze bliss block blossom blue bob bobby bolt bond booker boots boulder bow box
    brand brandy brave breeze brook brooks brown bubbles buck bud buddy buffalo bumble bunny bury bush buster butch butler
    buttercup calm candy cane carol carpenter carter case cell chad chance chandler charity chase cherry chile china chip
    christian chrome chuck church clay clement clementine cliff cloud cloudflare clove cologne colt cook cookie cooper copper
    coral cork corn corona count crane cross crystal cursor curt daisy dale dart dash dawn day deacon deal dean delta derby
    destiny diamond dick discord discover dish docker dolly don dot dove dover drake dream drew drummer duchess duke dusty eagle
    earl earnest ebony echo edge elm emerald ernest essen essex eve excel express fair faith falcon farmer fawn felicity fern
    fiddler field fiesta finch fire firefly fisher flash flask fletcher flora flow flower focus foggy ford forest forrest
    fortune foster fox frank franks friend frost galaxy gale gap garland garnet gay gene general genesis gentry ghost
    ginger git glen glenn glory go gold golf goose gopher grace grant graves gray green grey guinea guy hale hank harmony harper
    harry hart hatch haven hawk hazel heath heather heaven herb hero hill hinge hive holiday holly home honey honor hope horn
    hull hunt hunter ice indeed independence indigo iris ivory ivy jack jade jasmine jasper java jay jean jersey jet jewel
    jewels jimmy john jolly jordan josh journey joy june juniper justice karma kindle king kit kitty kiwi knight lace lady lake
    lance lane lark latte laurel law lee legend lens liberty light lily lima lime limerick limestone linden little long lord
    lotus love lucid lucky mace major man maple march marina mark marks mars marsh marshal marshall martin mason match maverick
    max may mead melody mercedes mercury mercy merlin merry meta mike miles miller mills mini mint misty mittens mobile mocha
    monk moon moonlight moss mouse muffin nature neat nest next nice nick noble norm normal notes notion nugget oak ocean
    office olive onyx opal opera oracle orange orchid oreo outlook pace page panama pansy parker pat patches patience peach
    peanut pearce pearl pebbles peg peggy penny people pepper phoenix pickles pierce pink piper pixel plains plum poet pole
    poles polish polo pope poppy porter posey potter power premier price prime prince princess prudence puma pumpkin python
    queen quest rabbit rain rainbow randy ranger raven ray react read reading red reed reef reese reign rich ring river rivers
    rob robin rock rocket rocky rod roman rome rook rose rosemary royal ruby rugby rush rust rusty rye sable safari saffron sage
    sailor salt sandwich sandy sapphire savanna savannah sawyer scala scarlet science scout scratch serenity shade shadow sharp
    shell shepherd sherry short sienna sierra signal silver skip sky skye slack small smith smokey snap snickers snow socks
    sonic sonny spa spark sparkle sparrow spike spirit split spring sprint square staples star stark steam stella sterling sting
    stone storm stormy story stripe subway sue sugar summer sunny sunshine surface swan sweet swift swiss switch tab tad
    tailor tank tanner target tate taylor teal teams temperance tern terry thatcher thorn tide tiger timber time tinder tom
    topaz total tours trace tramp trinity trip trixie true tuck tucker turbo turkey turner twinkle twist tyler uber union unity
    usher vale van venus verity victor victory viola violet virgin virtue visa vue wade waffles walker ward warden ware wave
    weaver webb welcome wells west whiskers white wilder will wills windows winner winter wired wise wolf wood woods woody word
    works worms wren young zest zoom zorro
"""

HOMONYMS = frozenset(_HOMONYMS.split())
